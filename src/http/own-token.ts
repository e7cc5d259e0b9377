import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The first start makes an admin token only its owner can read; an emptied file means none is wanted. */
export function ownToken(home: string): string | undefined {
  const file = join(home, 'secrets', 'admin.token')
  if (existsSync(file)) return readFileSync(file, 'utf8').trim() || undefined
  mkdirSync(join(home, 'secrets'), { recursive: true, mode: 0o700 })
  const secret = `apr_${randomBytes(32).toString('base64url')}`
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  return secret
}
