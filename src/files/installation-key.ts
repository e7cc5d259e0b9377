import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads a key of this installation. Creates it at the first call, readable by the owner only. */
export function readOrCreateKey(home: string, name: string): string {
  const file = join(home, 'secrets', name)
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  mkdirSync(join(home, 'secrets'), { recursive: true, mode: 0o700 })
  const key = randomBytes(32).toString('hex')
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  return key
}
