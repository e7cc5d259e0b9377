import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/commands/program.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const TEXT_FILE = /\.(?:ts|js|mjs|md|html|yml)$/
const COMMAND = /\bapprentice (?!apprentice)([a-z][a-z-]*)(?: ([a-z][a-z-]*))?|hintCommand\('([a-z-]+)(?: ([a-z-]+))?/g
const NPM_SCRIPT = /\bnpm run (?:--silent )?([a-z][a-z:-]*)|\bnpm (start|test)\b/g

const files = [
  ...['src', 'contracts', 'memory-store', 'openapi', '.docker'].flatMap(listFiles),
  'README.md',
  'CONTRIBUTING.md',
  'docker-compose.yml',
]

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => TEXT_FILE.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file))
}

function findMentions(pattern: RegExp): { file: string; text: string; words: string[] }[] {
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map(([text, ...words]) => ({
      file,
      text,
      words: words.filter((word) => word !== undefined),
    })),
  )
}

const findCommand = (parent: Command, name: string | undefined) =>
  parent.commands.find((command) => command.name() === name || command.aliases().includes(name ?? ''))

test('every command that a text mentions exists', async () => {
  const program = await createProgram()
  const mentions = findMentions(COMMAND)
  expect(mentions.length).toBeGreaterThan(30)
  const unknown = mentions.filter(({ words: [name, subcommand] }) => {
    const command = findCommand(program, name)
    if (command === undefined) return true
    const isGroup = command.commands.length > 0
    return isGroup && subcommand !== undefined && findCommand(command, subcommand) === undefined
  })
  expect(unknown.map(({ file, text }) => `${file}: ${text}`)).toEqual([])
})

test('every npm script that a text mentions exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const mentions = findMentions(NPM_SCRIPT)
  expect(mentions.length).toBeGreaterThan(5)
  const unknown = mentions.filter(({ words: [name = ''] }) => !(name in scripts))
  expect(unknown.map(({ file, text }) => `${file}: ${text}`)).toEqual([])
})
