import { array, assert, asyncProperty, constantFrom, pre, string } from 'fast-check'
import { expect, test } from 'vitest'
import { manualPhone, run, START_MS } from './phone-shell.ts'
import { countRuns } from '../kit/count-runs.ts'

async function output(command: string): Promise<string> {
  return (await run(manualPhone().phone, command)).stdout
}

test.each([
  ['echo a b', 'a b\n'],
  ['echo "a  b" \'c  d\' e\\ \\ f', 'a  b c  d e  f\n'],
  ['echo -n x; echo y', 'xy\n'],
  ['true && echo yes || echo no', 'yes\n'],
  ['false && echo yes || echo no', 'no\n'],
  ['false; echo $?', '1\n'],
  ['(exit 7); echo $?', '7\n'],
  ['! true; echo $?', '1\n'],
  ['echo $((2 + 3 * 4)) $((7 / 2)) $(( (1+1) * 3 ))', '14 3 6\n'],
  ['A=1; (A=2; echo $A); echo $A', '2\n1\n'],
  ['F=/sdcard/x; echo hi >$F; cat $F; echo "${F}y"', 'hi\n/sdcard/xy\n'],
  ['X="a b"; printf "[%s]" $X "$X"', '[a][b][a b]'],
  ['echo $(echo in; echo side) `echo tick`', 'in side tick\n'],
  ['echo one >/sdcard/f; echo two >>/sdcard/f; cat </sdcard/f', 'one\ntwo\n'],
  ['ls /nowhere 2>/dev/null; echo $?', '1\n'],
  ['ls /nowhere 2>&1', 'ls: /nowhere: No such file or directory\n'],
  ['{ echo a; echo b; } >/sdcard/g; cat /sdcard/g', 'a\nb\n'],
  ['echo a # not this', 'a\n'],
  ['echo a#b', 'a#b\n'],
  ['echo "it\'s" \'"q"\'', 'it\'s "q"\n'],
  ['echo a \\\n b', 'a b\n'],
  ['echo ~/x ~', '//x /\n'],
  [
    'touch /sdcard/1.xml /sdcard/2.xml; echo /sdcard/*.xml "/sdcard/*.xml"',
    '/sdcard/1.xml /sdcard/2.xml /sdcard/*.xml\n',
  ],
  ['echo nothing*here', 'nothing*here\n'],
  ['printf "a\\nb\\nc\\n" | grep -v b | tail -1', 'c\n'],
  ['printf "%s=%d\\n" a 1 b 2', 'a=1\nb=2\n'],
  ['[ -f /sdcard/none ] && echo yes; [ 3 -gt 2 ] && echo more', 'more\n'],
  ['test -d /sdcard && echo folder', 'folder\n'],
  ['mkdir -p /sdcard/a/b && ls /sdcard/a', 'b\n'],
  [
    'echo hi >/sdcard/f; rm -f /sdcard/f /sdcard/never; ls /sdcard/f 2>&1',
    'ls: /sdcard/f: No such file or directory\n',
  ],
  ['which input nope; echo $?', '/system/bin/input\n1\n'],
  ['/system/bin/echo path', 'path\n'],
  ['echo a;;', ''],
])('%s', async (command, expected) => {
  expect(await output(command)).toBe(expected)
})

test('commands run in order and the last one sets the exit code', async () => {
  const { phone } = manualPhone()
  expect(await run(phone, 'echo a; exit 3; echo b')).toMatchObject({ code: 3, stdout: 'a\n' })
  expect((await run(phone, 'exit 256')).code).toBe(0)
  expect((await run(phone, 'true; false')).code).toBe(1)
})

test('an unknown command exits with 127', async () => {
  const { phone } = manualPhone()
  expect(await run(phone, 'frobnicate -x')).toMatchObject({
    code: 127,
    stdout: '',
    stderr: '/system/bin/sh: frobnicate: inaccessible or not found\n',
  })
})

test.each([
  ['echo "open', 'no closing quote'],
  ["echo 'open", 'no closing quote'],
  ['echo a && && echo b', "unexpected '&&'"],
  ['| cat', "unexpected '|'"],
  ['(echo a', 'unexpected EOF'],
  ['echo a)', "unexpected ')'"],
  ['& echo a', "unexpected '&'"],
])('%s is a syntax error and runs nothing', async (command, message) => {
  const ran = await run(manualPhone().phone, command)
  expect(ran.code).toBe(1)
  expect(ran.stdout).toBe('')
  expect(ran.stderr).toContain(message)
})

test('writing outside the writable folders fails', async () => {
  const { phone } = manualPhone()
  expect(await run(phone, 'echo x >/system/y')).toMatchObject({
    code: 1,
    stderr: "/system/bin/sh: can't create /system/y: Read-only file system\n",
  })
  expect((await run(phone, 'echo x >/sdcard/no/such')).stderr).toContain('No such file or directory')
  expect((await run(phone, 'rm -rf /data/local')).stderr).toContain('Permission denied')
})

test('an interactive shell runs line by line until its input ends', async () => {
  const { phone } = manualPhone()
  const ran = await run(phone, '', {
    stdin: 'echo one; A=5\necho "two\nlines" $A\nfalse\necho end $?',
  })
  expect(ran).toMatchObject({ code: 0, stdout: 'one\ntwo\nlines 5\nend 1\n' })
  expect((await run(phone, '', { stdin: 'echo a\nexit 4\necho b\n' })).code).toBe(4)
})

test('an interactive shell prints each result before it reads the next line', async () => {
  const { phone } = manualPhone()
  const log: string[] = []
  async function* lines(): AsyncGenerator<Buffer> {
    for (const line of ['echo 1\n', 'echo 2\n']) {
      await Promise.resolve()
      log.push('read')
      yield Buffer.from(line)
    }
  }
  await phone.run('', {
    stdout: (chunk) => log.push(chunk.toString().trim()),
    stderr: () => undefined,
    stdin: lines(),
    signal: new AbortController().signal,
  })
  expect(log).toEqual(['read', '1', 'read', '2'])
})

test('cat reads standard input', async () => {
  const { phone } = manualPhone()
  expect((await run(phone, 'cat', { stdin: 'abc\n' })).stdout).toBe('abc\n')
  await run(phone, 'cat >/data/local/tmp/in', { stdin: 'pushed' })
  expect(phone.files.read('/data/local/tmp/in')?.toString()).toBe('pushed')
})

test('a hung command ends when its stream is closed and does not block other commands', async () => {
  const { phone } = manualPhone()
  phone.faults.hangCommand(/getprop ro\.serial/)
  const closing = new AbortController()
  let settled = false
  const hung = run(phone, 'getprop ro.serialno', { signal: closing.signal }).then((ran) => {
    settled = true
    return ran
  })
  expect((await run(phone, 'echo fine')).stdout).toBe('fine\n')
  expect(settled).toBe(false)
  closing.abort()
  expect(await hung).toMatchObject({ code: 129, stdout: '' })
})

test('a script with a closed stream runs no command', async () => {
  const { phone } = manualPhone()
  const closing = new AbortController()
  closing.abort()
  expect(await run(phone, 'echo a', { signal: closing.signal })).toMatchObject({
    code: 129,
    stdout: '',
  })
})

test('sleep advances the clock of the phone and timeout ends a command without end', async () => {
  const { phone, clock } = manualPhone()
  await run(phone, 'sleep 1.5')
  expect(clock.now() - START_MS).toBe(1500)
  expect((await run(phone, 'timeout 5 echo quick')).stdout).toBe('quick\n')
  expect(clock.now() - START_MS).toBe(1500)
  expect((await run(phone, 'timeout 5 getevent -q')).code).toBe(124)
})

test('date prints the time of the phone and id the shell user', async () => {
  const { phone } = manualPhone()
  expect((await run(phone, 'date +%s.%3N')).stdout).toBe(`${START_MS / 1000}.000\n`)
  expect((await run(phone, 'date "+%Y-%m-%d %H:%M:%S"')).stdout).toBe('2024-10-21 09:30:00\n')
  expect((await run(phone, 'id')).stdout).toMatch(/^uid=2000\(shell\) gid=2000\(shell\)/)
})

test('any command line ends with an exit code from 0 to 255', async () => {
  const { phone } = manualPhone()
  const fragments = `echo cat rm\\ -f x ' " $( ) | && ; >/sdcard/f $? \``.split(' ')
  await assert(
    asyncProperty(array(constantFrom(...fragments), { maxLength: 12 }), async (parts) => {
      const { code } = await run(phone, parts.join(' '))
      expect(code).toBeGreaterThanOrEqual(0)
      expect(code).toBeLessThan(256)
    }),
    { numRuns: countRuns(300) },
  )
})

test('a single-quoted word is passed unchanged', async () => {
  const { phone } = manualPhone()
  await assert(
    asyncProperty(string({ unit: 'grapheme', maxLength: 40 }), async (text) => {
      pre(!text.includes('\0'))
      const quoted = `'${text.replaceAll("'", String.raw`'\''`)}'`
      const { stdout, code } = await run(phone, `printf %s ${quoted}`)
      expect({ stdout, code }).toEqual({ stdout: text, code: 0 })
    }),
    { numRuns: countRuns(300) },
  )
})
