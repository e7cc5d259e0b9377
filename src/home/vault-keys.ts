import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolderSync, replaceFileSync } from './private-files.ts'

export interface VaultKey {
  readonly key_id: string
  readonly key: Buffer
}

const FILE = join('secrets', 'vault.keys')
const KEY_BYTES = 32

/** The keys of the vault, the current one first. There is more than one only while the key is being replaced. */
export function readVaultKeys(home: string): VaultKey[] {
  const file = join(home, FILE)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [key_id, key] = line.split(' ')
      return key_id === undefined || key === undefined ? [] : [{ key_id, key: Buffer.from(key, 'hex') }]
    })
}

/** Adds a key and makes it the current one. The others stay until `keepCurrentVaultKey`. */
export function addVaultKey(home: string): VaultKey[] {
  const added = { key_id: randomBytes(8).toString('hex'), key: randomBytes(KEY_BYTES) }
  return writeVaultKeys(home, [added, ...readVaultKeys(home)])
}

/** Removes all keys but the current one. */
export const keepCurrentVaultKey = (home: string): VaultKey[] => writeVaultKeys(home, readVaultKeys(home).slice(0, 1))

function writeVaultKeys(home: string, keys: VaultKey[]): VaultKey[] {
  makeFolderSync(join(home, 'secrets'))
  const lines = keys.map(({ key_id, key }) => `${key_id} ${key.toString('hex')}\n`)
  replaceFileSync(join(home, FILE), lines.join(''))
  return keys
}
