import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')

const listFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file))

test('commands and pages send requests by the typed client only', () => {
  const sending = /\bfetch\(|\b(?:EventSource|XMLHttpRequest|WebSocket)\b|from '(?:undici|node:https?)'/
  const files = [...listFiles('src/commands'), ...listFiles('src/dashboard')]
  const senders = files.filter((file) => sending.test(readFileSync(join(root, file), 'utf8')))
  // Both give the client a `fetch` of their own.
  expect(senders).toEqual(['src/commands/terminal/connection.ts', 'src/dashboard/api/client.ts'])
})
