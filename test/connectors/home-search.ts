import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-vault-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The files below a folder that contain one of the texts, in plain form or in the usual encodings. */
export function findFilesWith(folder: string, texts: readonly string[]): string[] {
  const forms = texts.flatMap((text) => [text, Buffer.from(text).toString('base64'), Buffer.from(text).toString('hex')])
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => forms.some((form) => readFileSync(file).includes(form)))
}
