import { array, assert, asyncProperty, constantFrom, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { parseScript } from '@apprentice/phone/shell/parser.ts'
import { ShellSyntaxError } from '@apprentice/phone/shell/syntax.ts'
import { countRuns } from '../kit/count-runs.ts'
import { manualPhone, run } from './phone-shell.ts'

// What mksh, the shell of Android, prints for the same lines.
test.each([
  ['if true; then echo a; else echo b; fi', 'a\n'],
  ['if false; then echo a; elif [ 1 = 1 ]; then echo b; else echo c; fi', 'b\n'],
  ['if false; then echo a; fi; echo $?', '0\n'],
  ['for i in 1 2 3; do echo -n $i; done', '123'],
  ['for f in a "b c" $(echo d e); do echo "<$f>"; done', '<a>\n<b c>\n<d>\n<e>\n'],
  ['set -- x y; for a; do echo $a; done', 'x\ny\n'],
  ['i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done', '0\n1\n2\n'],
  ['i=3; until [ $i -eq 0 ]; do i=$((i-1)); done; echo $i', '0\n'],
  ['for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done', '1\n3\n'],
  ['for i in 1 2; do for j in a b; do [ $j = b ] && continue 2; echo $i$j; done; done', '1a\n2a\n'],
  ['case foo.png in *.jpg) echo jpg;; *.png|*.gif) echo image;; *) echo other;; esac', 'image\n'],
  ['case "a*" in "a*") echo exact;; esac', 'exact\n'],
  ['case x in (y) echo y;; [a-z]) echo letter; esac', 'letter\n'],
  ['f() { echo "$1-$#-$@"; return 3; }; f a "b c"; echo $?', 'a-2-a b c\n3\n'],
  ['function g { local v=in; echo $v; }; v=out; g; echo $v', 'in\nout\n'],
  ['fact() { if [ $1 -le 1 ]; then echo 1; else echo $(($1 * $(fact $(($1-1))))); fi; }; fact 6', '720\n'],
  ['printf "a 1\\nb 2\\n" | while read name value; do echo "$value:$name"; done', '1:a\n2:b\n'],
  ['echo "x:y:z" | { IFS=: read a b; echo "$a|$b"; }', 'x|y:z\n'],
  ['while read -r line; do echo "<$line>"; done <<EOF\na  b\n$((1+1))\nEOF', '<a  b>\n<2>\n'],
  ["cat <<'EOF'\n$HOME `x`\nEOF", '$HOME `x`\n'],
  ['cat <<-EOF\n\tone\n\tEOF\necho two', 'one\ntwo\n'],
  ['cat <<<"one line"', 'one line\n'],
  ['x=; echo "${x:-a}${x-b}${y-c}${z:=d}$z${z:+e}${#z}"', 'acdde1\n'],
  [
    'p=/sdcard/dir/file.tar.gz; echo ${p##*/} ${p%/*} ${p%%.*} ${p#*/}',
    'file.tar.gz /sdcard/dir /sdcard/dir/file sdcard/dir/file.tar.gz\n',
  ],
  ['s=hello; echo ${s/l/L} ${s//l/L} ${s:1:3} ${s:2}', 'heLlo heLLo ell llo\n'],
  ['echo $((1<2 && 3>2)) $((7%4)) $((0x10)) $((5?1:2)) $((a=5, a+=2, a++)) $a', '1 3 16 1 7 8\n'],
  ['echo $((2147483647 + 1)) $((-7 / 2)) $((~5)) $((6 & 3)) $((1 << 4))', '-2147483648 -3 -6 2 16\n'],
  ['((3 > 2)) && echo yes; let x=4*5; echo $x', 'yes\n20\n'],
  ['[[ abc == a* && ! -e /none ]] && echo match; [[ a < b ]] && echo less', 'match\nless\n'],
  ['[ ! -f /none -a 1 -lt 2 ] && echo both', 'both\n'],
  ['echo {a,b}{1,2} "{a,b}"', 'a1 a2 b1 b2 {a,b}\n'],
  ['a=1; a=2 env | grep "^a="; echo $a', 'a=2\n1\n'],
  ['export V=1; W=2; sh -c \'echo "[$V][$W]"\'', '[1][]\n'],
  ["sh -c 'echo $0 $1 $#' name x y", 'name x 2\n'],
  ['echo "echo in file $1" >/sdcard/s.sh; sh /sdcard/s.sh', 'in file\n'],
  ['echo "echo arg \\$1" >/data/local/tmp/s; chmod 755 /data/local/tmp/s; /data/local/tmp/s z', 'arg z\n'],
  ['eval "x=1; echo \\$x"; . /dev/null; echo $?', '1\n0\n'],
  ['cd /sdcard; pwd; touch here; ls -d here; cd -; pwd', '/sdcard\nhere\n/\n/\n'],
  ['(cd /sdcard; pwd); pwd', '/sdcard\n/\n'],
  ['echo a; { echo b; exit 4; }; echo c', 'a\nb\n'],
  ['x=$(exit 3); echo $?; $(echo echo made)', '3\nmade\n'],
  ['set -e; false || echo kept; if false; then :; fi; false; echo never', 'kept\n'],
  ['yes | head -n 2; echo $?', 'y\ny\n0\n'],
  ['while true; do echo again; done | head -n 1', 'again\n'],
  ['sleep 1 & wait; echo done', 'done\n'],
  ['echo in-back & wait $!; echo $?', 'in-back\n0\n'],
  ['ls /none >/dev/null 2>&1 || echo failed', 'failed\n'],
  ['{ echo out; ls /none; } &>/sdcard/both; wc -l </sdcard/both', '2\n'],
  ['echo one >/sdcard/a.x; echo two >/sdcard/b.x; cat /sdcard/*.x', 'one\ntwo\n'],
  ['set -- a b c; shift; echo $1 $#; echo "$*"', 'b 2\nb c\n'],
  ['type cd; command -v input; command -v nope; echo $?', 'cd is a shell builtin\n/system/bin/input\n1\n'],
  ["echo $'a\\tb\\x41'", 'a\tbA\n'],
  ['echo \\$HOME "\\$HOME" \'$HOME\'', '$HOME $HOME $HOME\n'],
  ['a="x y"; for i in $a; do echo $i; done; for i in "$a"; do echo $i; done', 'x\ny\nx y\n'],
  ['f() { return; }; false; f; echo $?', '1\n'],
  ['if ! grep -q x /none 2>/dev/null; then echo absent; fi', 'absent\n'],
])('%s', async (command, expected) => {
  expect((await run(manualPhone().phone, command)).stdout).toBe(expected)
})

test.each([
  ['if true; then echo a', 'unexpected EOF'],
  ['for 1 in a; do :; done', "unexpected '1'"],
  ['while true; done', "unexpected 'done'"],
  ['case x in a) echo', 'unexpected EOF'],
  ['echo $((1 + ))', 'unexpected end of expression'],
  ['fi', "unexpected 'fi'"],
  ['cat <<EOF\nno end', "here document 'EOF' unclosed"],
])('%s is an error: %s', async (command, message) => {
  const ran = await run(manualPhone().phone, command)
  expect(ran.code).not.toBe(0)
  expect(ran.stderr).toContain(message)
})

test.each([
  ['a loop without end', 'while true; do :; done'],
  ['a loop that only computes', 'while true; do x=$((x+1)); done'],
  ['a function that calls itself', 'f() { f; }; f'],
  ['a variable that doubles', 'x=aaaaaaaa; while true; do x=$x$x; done'],
  ['a script that runs itself', 'echo "sh /sdcard/s" >/sdcard/s; sh /sdcard/s'],
  ['functions that call themselves twice', 'f() { f; f; }; f'],
  ['a pipe without a reader that ends', 'while true; do yes; done | while true; do :; done'],
])('%s is killed', async (_name, command) => {
  const ran = await run(manualPhone().phone, `${command}; echo never`)
  expect(ran).toMatchObject({ code: 137, stdout: '', stderr: 'Killed\n' })
})

test('a loop ends when its stream is closed', async () => {
  const closing = new AbortController()
  const loop = run(manualPhone().phone, 'while true; do sleep 0.001; done', { signal: closing.signal })
  closing.abort()
  expect(await loop).toMatchObject({ code: 129 })
})

test('a command in the background whose output goes to files outlives its shell', async () => {
  const { phone } = manualPhone()
  const ran = await run(phone, '{ getevent -c 1 -q; echo end; } >/sdcard/log 2>&1 & echo $!')
  const pid = ran.stdout.trim()
  expect((await run(phone, `ps -p ${pid} -o NAME=`)).stdout).toBe('sh\n')
  expect((await run(phone, `kill ${pid}`)).code).toBe(0)
  const probe = async () => (await run(phone, `kill -0 ${pid}`)).stderr
  await expect.poll(probe).toContain(': No such process')
})

function parse(text: string): 'tree' | 'syntax error' {
  try {
    parseScript(text)
    return 'tree'
  } catch (error) {
    if (error instanceof ShellSyntaxError) return 'syntax error'
    throw error
  }
}

const FRAGMENTS = constantFrom(
  ...Array.from(`'"\\$(){}|&;<> \n\`#!~*?=[]-:/`),
  'a',
  'b1',
  '$((',
  '))',
  '&&',
  '2>&1',
  '<<E',
  '\nE\n',
  '${',
  'x:-',
  '[[ ',
  ' ]]',
  ';;',
  'if ',
  'then ',
  'else ',
  'fi ',
  'for ',
  ' in ',
  'do ',
  'done ',
  'while ',
  'case ',
  'esac ',
  'function ',
  '! ',
)

test('the parser returns a tree or a syntax error for any script', () => {
  assert(
    property(array(FRAGMENTS, { maxLength: 60 }), (parts) => {
      expect(['tree', 'syntax error']).toContain(parse(parts.join('')))
    }),
    { numRuns: countRuns(5000) },
  )
})

test('the parser takes linear time for scripts that repeat any part', () => {
  assert(
    property(array(FRAGMENTS, { minLength: 1, maxLength: 4 }), (parts) => {
      const part = parts.join('')
      const [short, long] = [timeToParse(part.repeat(2000)), timeToParse(part.repeat(16_000))]
      // Linear: 8 times as long. Quadratic: 64 times. Short times are mostly noise.
      expect(long).toBeLessThan(Math.max(short, 20) * 30)
    }),
    { numRuns: countRuns(100) },
  )
})

function timeToParse(text: string): number {
  const times = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage()
    parse(text)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

test('any script ends with an exit code from 0 to 255', async () => {
  const { phone } = manualPhone()
  const words = [
    'echo',
    'cat',
    'x=1',
    '$x',
    '"$@"',
    ' ',
    ';',
    '|',
    '&&',
    '$(',
    ')',
    '{ ',
    '; }',
    '>/sdcard/f',
    '<<E\nE\n',
  ]
  const more = [
    'if true; then',
    'fi',
    'for i in 1 2; do',
    'done',
    'read y',
    '${x%1}',
    '$((x',
    '))',
    '&',
    'break',
    'return',
  ]
  await assert(
    asyncProperty(array(constantFrom(...words, ...more), { maxLength: 15 }), async (parts) => {
      const { code } = await run(phone, parts.join(' '))
      expect(code).toBeGreaterThanOrEqual(0)
      expect(code).toBeLessThan(256)
    }),
    { numRuns: countRuns(500) },
  )
})

test('a quoted value goes through variables, functions, loops and substitutions unchanged', async () => {
  const { phone } = manualPhone()
  await assert(
    asyncProperty(string({ unit: 'grapheme', maxLength: 30 }), async (text) => {
      const value = text.replaceAll('\0', '').replace(/\n+$/, '')
      const quoted = `'${value.replaceAll("'", String.raw`'\''`)}'`
      const script = `f() { for a in "$@"; do printf %s "$a"; done; }; v=${quoted}; w=$(f "$v"); printf %s "$w"`
      expect((await run(phone, script)).stdout).toBe(value)
    }),
    { numRuns: countRuns(200) },
  )
})
