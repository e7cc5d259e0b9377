import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolderSync, replaceFileSync } from './private-files.ts'

/** The first start creates an admin token. An empty file means no token. */
export const readOrCreateAdminToken = (home: string): string | undefined =>
  readOrCreate(home, 'admin.token', () => `apr_${randomBytes(32).toString('base64url')}`) || undefined

/** Reads a key of this installation. Creates it at the first call. */
export const readOrCreateKey = (home: string, name: string): string =>
  readOrCreate(home, name, () => randomBytes(32).toString('hex'))

function readOrCreate(home: string, name: string, make: () => string): string {
  const file = join(home, 'secrets', name)
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  makeFolderSync(join(home, 'secrets'))
  const secret = make()
  replaceFileSync(file, `${secret}\n`)
  return secret
}
