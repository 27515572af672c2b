"""Programs of a desktop: they draw on the screen and are nobody's benchmark.

Room: `parsers.snapshots`, a table of data with its one look-up. Whether a compute process is the run's own or foreign needs
the engine log and is decided further right.
"""

from __future__ import annotations

_WORDS = """
    xorg x xwayland gnome-shell gnome-remote-desktop-daemon gnome-control-center gnome-system-monitor nautilus mutter gjs gdm
    kwin_wayland kwin_x11 kwin plasmashell plasma-keyboard ksmserver krunner konsole dolphin systemsettings xwaylandvideobridge
    cosmic-comp sway hyprland weston wayfire niri labwc gamescope river budgie-wm cinnamon mate-panel marco muffin
    xfwm4 xfce4-panel xfdesktop lightdm sddm sddm-greeter lxqt-panel picom compton compiz i3 cage mir unity
    firefox firefox-bin chrome chromium chromium-browser brave brave-browser opera vivaldi msedge msedgewebview2 thunderbird
    code code-insiders cursor codium electron slack discord teams zoom signal-desktop telegram-desktop spotify steam
    steamwebhelper obs obs-studio obs64 vlc mpv totem blender gimp sunshine nomachine nxnode.bin teamviewer anydesk rustdesk
    parsec parsecd krdc remmina xrdp vncserver xtightvnc x11vnc kitty alacritty ghostty wezterm-gui gnome-terminal
    dwm explorer csrss winlogon logonui shellhost shellexperiencehost startmenuexperiencehost searchhost searchapp searchui
    textinputhost applicationframehost systemsettings lockapp crossdeviceresume phoneexperiencehost yourphone widgets
    widgetservice windowsterminal sihost taskmgr rtkuwp gamebar gamebarftserver xboxpcappft xboxgamebarwidgets video.ui
    microsoft.photos photos calculatorapp notepad mspaint msteams ms-teams outlook olk winword excel powerpnt onedrive
    powertoys powertoys.powerlauncher snippingtool screenclippinghost copilot m365copilot onenote
    controllercompanion wallpaper32 wallpaper64 rainmeter overwolf rtss msiafterburner icue lghub lghub_agent razer wechatappex
    weixin qq qqnt cefrendererprocess githubdesktop epicgameslauncher battle.net origin 1password githubdesktop rider64
"""
_PROGRAMS = frozenset(_WORDS.split())
_PHRASES = ("nvidia overlay", "nvidia share", "nvidia app", "nvidia broadcast", "nzxt cam", "armoury crate", "steam.exe")


def is_desktop(name: str | None) -> bool:
    """Whether a process name, a path or its cut tail, is a known desktop, browser or remote-screen program."""
    if not name:
        return False
    program = name.split(" --", 1)[0].replace("\\", "/").rsplit("/", 1)[-1].strip().lower()
    if program in _PROGRAMS or program.removesuffix(".exe").rstrip(".") in _PROGRAMS:
        return True
    return any(program.startswith(phrase) for phrase in _PHRASES)
