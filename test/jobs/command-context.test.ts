import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/config/paths.ts'

const source = join(packageRoot, 'src')
const factory = join('domain', 'command', 'context.ts')

/** Without the expressions of template strings, whose braces would hide the object around them. */
const readSource = (file: string): string => readFileSync(join(source, file), 'utf8').replaceAll(/\$\{[^{}]*\}/g, '')

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== factory)
  .map((file) => ({ file, text: readSource(file) }))

test('a command context is built in one place only', () => {
  const byHand = /\{[^{}]*\btx\b[^{}]*(?:\{[^{}]*\}[^{}]*)*\bcorrelation_id\b[^{}]*\bnewId\b[^{}]*\}/
  expect(files.filter(({ text }) => byHand.test(text)).map(({ file }) => file)).toEqual([])
})

test('nothing acts as a user called system', () => {
  const named = /user_id: 'system'|\(\s*'system',\s*\w+/
  expect(files.filter(({ text }) => named.test(text)).map(({ file }) => file)).toEqual([])
})
