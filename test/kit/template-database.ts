import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationsFolder } from '../../src/config/paths.ts'
import { Store } from '../../src/store/db/db.ts'
import { migrate } from '../../src/store/db/migrate.ts'

let file: string | undefined

/** An empty database with all migrations applied, made once per worker. Copying it is much cheaper than migrating. */
export function templateDatabase(): string {
  if (file !== undefined) return file
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-template-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const made = join(folder, 'apprentice.db')
  const store = Store.open(made, 'normal')
  migrate(store.schema, migrationsFolder)
  store.close()
  return (file = made)
}
