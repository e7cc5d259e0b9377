import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { pauseCapture, resumeCapture } from '@apprentice/contracts/learn/sessions.ts'
import type { CommandContext } from '../../../src/domain/command/context.ts'
import * as capture from '../../../src/domain/capture/capture.ts'
import { Store, type Tx } from '../../../src/store/db/db.ts'
import { toPublicSession, type StoredSession } from '../../../src/store/sessions/learn-sessions.ts'

// Only the transitions of the daemon, committed one by one or in groups per event-loop turn.
const [, , file = '', mode = ''] = process.argv
const store = Store.open(file, 'full')
const writer = store.schema
const writeAlone = writer.transaction((work: (tx: Tx) => StoredSession) => work({ db: writer } as Tx))
const write = (work: (tx: Tx) => StoredSession): StoredSession | Promise<StoredSession> =>
  mode === 'group' ? store.write(work) : writeAlone.immediate(work)

const app = Fastify()
const transitions = [
  [pauseCapture, capture.pauseCapture],
  [resumeCapture, (ctx: CommandContext, id: string) => capture.resumeCapture(ctx, id, { max_phase: 1 })],
] as const
for (const [{ url }, transition] of transitions) {
  app.post<{ Params: { sessionId: string } }>(url, async ({ params, id }) => {
    const session = await write((tx) =>
      transition(
        {
          tx,
          now: new Date().toISOString(),
          actor: { kind: 'user', user_id: 'local' },
          correlation_id: id,
          newId: randomUUID,
        },
        params.sessionId,
      ),
    )
    return { session: toPublicSession(session) }
  })
}
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
