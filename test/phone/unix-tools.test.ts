import { expect, test } from 'vitest'
import { manualPhone, run } from './phone-shell.ts'

const FILES =
  'mkdir -p /sdcard/t/sub; cd /sdcard/t; printf "b 2\\na 10\\nc 1\\n" >list; printf abc >sub/deep.txt; printf x >.hidden; '

// The outputs of toybox 0.8.9, as on Android 14.
test.each([
  ['ls', 'list\nsub\n'],
  ['ls -A', '.hidden\nlist\nsub\n'],
  ['ls -a sub', '.\n..\ndeep.txt\n'],
  ['ls -R', '.:\nlist\nsub\n\n./sub:\ndeep.txt\n'],
  ['ls -l list', '-rw-rw---- 1 shell shell 13 2024-10-21 09:30 list\n'],
  ['ls -lh sub', 'total 4\n-rw-rw---- 1 shell shell 3 2024-10-21 09:30 deep.txt\n'],
  ['ls list sub', 'list\n\nsub:\ndeep.txt\n'],
  ['ls -F', 'list\nsub/\n'],
  ['stat -c "%s %a %n %F" list sub', '13 660 list regular file\n4096 771 sub directory\n'],
  ['chmod 755 list; stat -c %A list', '-rwxr-xr-x\n'],
  ['chmod u+x,g-w list; stat -c %A list', '-rwxr-----\n'],
  ['find .', '.\n./.hidden\n./list\n./sub\n./sub/deep.txt\n'],
  ['find . -type f -name "*.txt"', './sub/deep.txt\n'],
  ['find . -maxdepth 1 ! -name ".*" -type d', './sub\n'],
  ['find . -name "*.txt" -exec cat {} \\;', 'abc'],
  ['find . -type f -size +5c', './list\n'],
  ['find . -name list -o -name sub | sort -r', './sub\n./list\n'],
  ['find sub -name deep.txt -delete; ls sub', ''],
  ['mv list sub/; ls sub', 'deep.txt\nlist\n'],
  ['mv list new; cat new | head -1', 'b 2\n'],
  ['cp list copy; cp -r sub sub2; ls sub2 copy', 'copy\n\nsub2:\ndeep.txt\n'],
  ['rm -r sub; ls', 'list\n'],
  ['rmdir sub; echo $?', '1\n'],
  ['head -n 1 list; head -c 3 list; tail -n 1 list; tail -c 2 list; tail -n +3 list', 'b 2\nb 2c 1\n1\nc 1\n'],
  ['sort list; sort -k2 -n list; sort -rn -k 2 list', 'a 10\nb 2\nc 1\nc 1\nb 2\na 10\na 10\nb 2\nc 1\n'],
  ['cut -d" " -f2 list | sort -n | tail -1', '10\n'],
  ['cut -c1 list | tr a-c A-C | tr -d "\\n"', 'BAC'],
  ['printf "a\\na\\nb\\n" | uniq -c', '      2 a\n      1 b\n'],
  ['wc list; wc -l <list; wc -c list sub/deep.txt', '3 6 13 list\n3\n13 list\n3 sub/deep.txt\n16 total\n'],
  ['grep -n 1 list', '2:a 10\n3:c 1\n'],
  ['grep -c "^[ab]" list; grep -o "[0-9]*" list', '2\n2\n10\n1\n'],
  ['grep -rl abc .', './sub/deep.txt\n'],
  ['grep -E "a|c" list | grep -v 10; grep -w 1 list; grep -x "b 2" list', 'c 1\nc 1\nb 2\n'],
  ['grep -A1 b list; grep -m1 -i A list', 'b 2\na 10\na 10\n'],
  ['grep "b\\|c" list; grep "b+" list; echo $?', 'b 2\nc 1\n1\n'],
  ["sed -n '2p' list; sed 's/ /-/' list", 'a 10\nb-2\na-10\nc-1\n'],
  ["sed -e 's/[0-9]//g' -e '/c/d' list", 'b \na \n'],
  ["sed -E 's/(.) (.*)/\\2:\\1/' list; sed '1,2d' list; sed '$!d' list", '2:b\n10:a\n1:c\nc 1\nc 1\n'],
  ["sed -i 's|b|/x|' list; head -1 list", '/x 2\n'],
  ["sed -n '/b/,/a/p' list; sed 's/\\(b\\) 2/[&]\\1/;2q' list", 'b 2\na 10\n[b 2]b\na 10\n'],
  ['basename /a/b.txt .txt; dirname /a/b.txt; realpath list', 'b\n/a\n/storage/emulated/0/t/list\n'],
  [
    'md5sum sub/deep.txt; sha256sum -b sub/deep.txt | cut -c1-8',
    '900150983cd24fb0d6963f7d28e17f72  sub/deep.txt\nba7816bf\n',
  ],
  ['printf hi | base64; echo aGk= | base64 -d', 'aGk=\nhi'],
  ['seq 3 | xargs echo n; seq 2 | xargs -I{} echo "<{}>"; seq 3 | xargs -n 2', 'n 1 2 3\n<1>\n<2>\n1 2\n3\n'],
  ['seq 1 2 5 | tac; echo x | tee copy | cat; cat copy', '5\n3\n1\nx\nx\n'],
  ['head -c 5 /dev/zero | wc -c; dd if=list bs=1 skip=2 count=3 2>/dev/null', '5\n2\na'],
  ['env A=1 sh -c "echo $A-\\$A"; env | grep ^HOME=; printenv USER', '-1\nHOME=/\nshell\n'],
  ['printf "%5.2s|%-4d|%04d|%x\\n" abc 7 7 255', '   ab|7   |0007|ff\n'],
  ['uname; uname -m; whoami; id -u', 'Linux\naarch64\nshell\n2000\n'],
  ['d=$(mktemp -d); [ -d "$d" ] && echo made', 'made\n'],
  ['du -s sub; touch -c none; ls none 2>&1', '8\tsub\nls: none: No such file or directory\n'],
])('%s', async (command, expected) => {
  expect((await run(manualPhone().phone, `${FILES}${command}`)).stdout).toBe(expected)
})

test.each([
  ['cat /none', 'cat: /none: No such file or directory\n'],
  ['cat /sdcard', 'cat: /sdcard: Is a directory\n'],
  ['cp /none /sdcard/x', "cp: bad '/none': No such file or directory\n"],
  ['mv /none /sdcard/x', "mv: bad '/none': No such file or directory\n"],
  ['mkdir /sdcard', "mkdir: '/sdcard': File exists\n"],
  ['mkdir /system/x', "mkdir: '/system/x': Read-only file system\n"],
  ['rm /none', 'rm: /none: No such file or directory\n'],
  ['stat /none', "stat: '/none': No such file or directory\n"],
  ['find /none', 'find: /none: No such file or directory\n'],
  ['chmod 644 /none', 'chmod: /none: No such file or directory\n'],
  ['chmod 644 /system/bin', 'chmod: /system/bin: Operation not permitted\n'],
  ['cp /proc/version', 'cp: Needs 2 arguments\n'],
  ['grep "[" /proc/version', 'grep: bad REGEX: [\n'],
  ['kill 1', '/system/bin/sh: kill: 1: Operation not permitted\n'],
  ['kill 99999', '/system/bin/sh: kill: 99999: No such process\n'],
  ['[ a -lt 2 ]', '/system/bin/sh: [: a: bad number\n'],
])('%s fails: %s', async (command, message) => {
  const ran = await run(manualPhone().phone, command)
  expect(ran.stderr).toBe(message)
  expect(ran.code).not.toBe(0)
})

test('ps lists the processes of the shell user, or with -A all, in the chosen columns', async () => {
  const { phone } = manualPhone()
  await run(phone, 'am start -n org.apprentice.notes/.NoteListActivity')
  const lines = async (command: string) => (await run(phone, command)).stdout.trimEnd().split('\n')
  const all = await lines('ps -A')
  expect(all[0]).toMatch(/^USER +PID +PPID +VSZ +RSS WCHAN +ADDR S NAME$/)
  expect(all.find((line) => line.endsWith(' org.apprentice.notes'))).toMatch(/^u0_a\d+ +\d+ +670 /)
  expect((await lines('ps')).join('\n')).not.toContain('org.apprentice.notes')
  const pid = (await run(phone, 'pidof org.apprentice.notes')).stdout.trim()
  expect(await lines(`ps -p ${pid} -o PID,NAME`)).toEqual([' PID NAME', `${pid.padStart(4)} org.apprentice.notes`])
  expect(await lines('pgrep -f apprentice.notes')).toEqual([pid])
})

test('a pattern that takes exponential time in other engines does not', async () => {
  const { phone } = manualPhone()
  const long = 'a'.repeat(5000)
  expect((await run(phone, `echo ${long} | grep -E '(a+)+b'`)).code).toBe(1)
  expect((await run(phone, `case ${long} in *a*a*a*a*a*a*b) echo no;; *) echo yes; esac`)).stdout).toBe('yes\n')
  expect((await run(phone, `x=${long}; echo \${#x} \${x##*a*a*a*}`)).stdout).toBe('5000\n')
})
