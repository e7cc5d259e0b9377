import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { migrationsFolder } from '../../src/config/paths.ts'
import { Store, type Tx } from '../../src/store/db/db.ts'
import { migrate } from '../../src/store/db/migrate.ts'

export const NOON = '2026-03-01T12:00:00.000Z'

export function openStore(home: string): Store {
  const store = Store.open(join(home, 'apprentice.db'), 'normal')
  migrate(store.schema, migrationsFolder)
  return store
}

export const commandContext = (tx: Tx, now = NOON): CommandContext => ({
  tx,
  now,
  actor: { kind: 'user', user_id: 'local' },
  correlation_id: 'test',
  newId: randomUUID,
})
