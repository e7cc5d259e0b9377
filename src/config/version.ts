import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './paths.ts'

export const version: string = readVersion()

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  return String((manifest as { version: unknown }).version)
}
