import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { Store, type Tx } from '../../src/store/db/db.ts'
import { copyTemplateDatabase } from '../kit/template-database.ts'

export const NOON = '2026-03-01T12:00:00.000Z'

export function openStore(home: string): Store {
  const file = join(home, 'apprentice.db')
  copyTemplateDatabase(file)
  return Store.open(file, 'normal')
}

export const commandContext = (tx: Tx, now = NOON): CommandContext => ({
  tx,
  now,
  actor: { kind: 'user', user_id: 'local' },
  correlation_id: 'test',
  newId: randomUUID,
})
