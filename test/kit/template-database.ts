import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationsFolder } from '../../src/config/paths.ts'
import { Store } from '../../src/store/db/db.ts'
import { migrate } from '../../src/store/db/migrate.ts'

let template: string | undefined

/** Creates a migrated, empty database unless the file exists. Copying a template is much cheaper than migrating. */
export function copyTemplateDatabase(file: string): void {
  if (!existsSync(file)) copyFileSync(makeTemplate(), file)
}

/** Made once per worker. */
function makeTemplate(): string {
  if (template !== undefined) return template
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-template-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  template = join(folder, 'apprentice.db')
  const store = Store.open(template, 'normal')
  migrate(store.schema, migrationsFolder)
  store.close()
  return template
}
