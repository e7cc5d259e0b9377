import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listCommandWords } from '../../src/commands/completion/command-tree.ts'
import { formatCompletion } from '../../src/commands/completion/scripts.ts'
import { findOpener, startOpener } from '../../src/commands/open.ts'
import { createProgram } from '../../src/commands/program.ts'
import { EXIT_CODE_MEANINGS, EXIT_CODES } from '../../src/commands/terminal/exit-codes.ts'
import { styleState, styleText } from '../../src/commands/terminal/styles.ts'
import { formatTable, measureText } from '../../src/commands/terminal/table.ts'
import { runProgram } from './program.ts'

const ROOT = join(import.meta.dirname, '..', '..')

let program: Command
let folder: string
beforeAll(async () => {
  program = await createProgram()
  folder = mkdtempSync(join(tmpdir(), 'apprentice-command-line-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function listCommands(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listCommands)
}

/** They run until they are stopped, talk to a person, or print a script. */
const WITHOUT_JSON = ['serve', 'phone', 'host', 'mcp', 'teach', 'completion', 'help']

test('every command has the option --json', () => {
  const without = listCommands(program).filter((command) => !command.options.some(({ long }) => long === '--json'))
  expect(without.map((command) => command.name()).filter((name) => !WITHOUT_JSON.includes(name))).toEqual([])
})

test('the README has the table of exit codes', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const rows = (Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[]).map(
    (name) => `| ${EXIT_CODES[name]} | ${EXIT_CODE_MEANINGS[name]} |`,
  )
  const at = readme.indexOf('| exit code | meaning |')
  expect(
    readme
      .slice(at)
      .split('\n')
      .slice(2, rows.length + 2),
  ).toEqual(rows)
})

test('an unknown command or option suggests the nearest one and exits with 2', async () => {
  const command = await runProgram(['devcies'], {})
  expect([command.code, command.stdout]).toEqual([EXIT_CODES.usage, ''])
  expect(command.stderr).toContain("unknown command 'devcies'\n(Did you mean devices?)")
  const option = await runProgram(['token', 'list', '--jsno'], {})
  expect([option.code, option.stderr]).toEqual([EXIT_CODES.usage, expect.stringContaining('(Did you mean --json?)')])
})

test('without a command the help is printed', async () => {
  const { code, stdout } = await runProgram([], {})
  expect(code).toBe(EXIT_CODES.ok)
  expect(stdout).toContain('Teach and run:')
  expect(stdout).not.toContain('\u001B[')
})

const COLORS = { isTTY: true, hasColors: () => true, columns: 30 }

test('colors are used on terminals that have them only', () => {
  expect(styleText('x', 'red', COLORS)).toBe('\u001B[31mx\u001B[39m')
  expect(styleText('x', 'red', { isTTY: true, hasColors: () => false })).toBe('x')
  expect(styleText('x', 'red', {})).toBe('x')
  expect([styleState('FAIL', COLORS), styleState('Kitchen', COLORS)]).toEqual(['\u001B[31mFAIL\u001B[39m', 'Kitchen'])
})

test('columns are aligned for wide letters and colors, and the last one fits the terminal', () => {
  expect(measureText('漢字 \u001B[31mé\u001B[39m')).toBe(6)
  const rows = [
    ['NAME', 'STATE', 'ABOUT'],
    ['漢字', 'ok', 'short'],
    ['Kitchen', 'failed', 'a description that is too long'],
  ]
  expect(formatTable(rows, {}).split('\n')).toEqual([
    'NAME     STATE   ABOUT',
    '漢字     ok      short',
    'Kitchen  failed  a description that is too long',
  ])
  const [, , last = ''] = formatTable(rows, COLORS).split('\n')
  expect(last).toContain('\u001B[31mfailed\u001B[39m')
  expect(measureText(last)).toBe(30)
  expect(last.endsWith('…')).toBe(true)
})

test('bash completes commands, commands below them and options', () => {
  const script = join(folder, 'completion.bash')
  writeFileSync(script, formatCompletion('bash', listCommandWords(program)))
  const complete = (...words: readonly string[]): string[] => {
    const line = `source ${script}; COMP_WORDS=(apprentice "$@"); COMP_CWORD=$#; _apprentice; printf '%s\\n' "\${COMPREPLY[@]}"`
    const args = ['--norc', '-c', line, 'bash', ...words]
    return execFileSync('bash', args, { encoding: 'utf8' }).trim().split('\n')
  }
  expect(complete('ab')).toEqual(['abilities'])
  expect(complete('token', 're')).toEqual(['revoke'])
  expect(complete('token', 'create', 'ada', '--pr')).toEqual(['--privilege'])
})

test('zsh and fish get every command with its description', () => {
  const words = listCommandWords(program)
  const zsh = formatCompletion('zsh', words)
  expect(zsh).toMatch(/^#compdef apprentice\n/)
  expect(zsh).toContain("'revoke'':revoke a token'")
  const fish = formatCompletion('fish', words)
  expect(fish).toContain("-f -a 'devices' -d 'list devices, connected ones first'")
  expect(fish).toContain(
    "'__fish_seen_subcommand_from token; and __fish_seen_subcommand_from create' -l 'privilege' -r",
  )
})

test('open starts the opener of the system with the link and knows whether it was accepted', async () => {
  const written = join(folder, 'opened.txt')
  const opener = join(folder, 'xdg-open')
  writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$1" > '${written}'\n`)
  chmodSync(opener, 0o755)
  expect(findOpener('linux', `/nowhere:${folder}`)).toEqual(['xdg-open'])
  expect(findOpener('linux', '/nowhere')).toBeUndefined()
  expect(await startOpener([opener], 'http://127.0.0.1:1/login?code=x')).toBe(true)
  expect(readFileSync(written, 'utf8')).toBe('http://127.0.0.1:1/login?code=x')
  expect(await startOpener(['false'], 'x')).toBe(false)
  expect(await startOpener([join(folder, 'missing')], 'x')).toBe(false)
})
