import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The first start creates an admin token that only the file's owner can read. An empty file means no token. */
export function readOrCreateAdminToken(home: string): string | undefined {
  const file = join(home, 'secrets', 'admin.token')
  if (existsSync(file)) return readFileSync(file, 'utf8').trim() || undefined
  mkdirSync(join(home, 'secrets'), { recursive: true, mode: 0o700 })
  const secret = `apr_${randomBytes(32).toString('base64url')}`
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  return secret
}
