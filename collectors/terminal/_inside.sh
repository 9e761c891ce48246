# Finds the oldest session with a terminal and says whether its foreground process waits for input:
# one line: 1 or 0, process id, command, user id, working directory.
session=; tty=; group=
for stat in /proc/[0-9]*/stat; do
  { read -r line <"$stat"; } 2>/dev/null || continue
  pid=${line%% *}; set -- ${line##*) }
  [ "$4" = "$pid" ] && [ "$5" != 0 ] || continue
  if [ -z "$session" ] || [ "$pid" -lt "$session" ]; then session=$pid; tty=$5; group=$6; fi
done
[ -n "$session" ] || exit 1
waits=0; who=$group
for stat in /proc/[0-9]*/stat; do
  { read -r line <"$stat"; } 2>/dev/null || continue
  pid=${line%% *}; set -- ${line##*) }
  [ "$3" = "$group" ] && [ "$1" = S ] && [ "$5" = "$tty" ] || continue
  { read -r call first rest <"/proc/$pid/syscall"; } 2>/dev/null || continue
  case "$(uname -m):$call" in
    x86_64:0 | x86_64:19 | aarch64:63 | aarch64:65)
      case "$(readlink "/proc/$pid/fd/$((first))")" in /dev/pts/* | /dev/tty | /dev/console) waits=1; who=$pid ;; esac ;;
    x86_64:7 | x86_64:271 | x86_64:23 | x86_64:270 | x86_64:232 | x86_64:281 | x86_64:441) waits=1; who=$pid ;;
    aarch64:73 | aarch64:72 | aarch64:22 | aarch64:441) waits=1; who=$pid ;;
  esac
done
uid=$(sed -n 's/^Uid:[[:space:]]*[0-9]*[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$who/status" 2>/dev/null)
printf '%s\t%s\t%s\t%s\t%s\n' "$waits" "$who" "$(cat "/proc/$who/comm" 2>/dev/null)" "$uid" "$(readlink "/proc/$who/cwd")"
