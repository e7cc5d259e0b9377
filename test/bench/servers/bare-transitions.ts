import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { pauseCapture, resumeCapture } from '@apprentice/contracts/learn/sessions.ts'
import type { CommandContext } from '../../../src/domain/command/context.ts'
import * as capture from '../../../src/domain/capture/capture.ts'
import { Store, type Tx } from '../../../src/store/db/db.ts'
import { toPublicSession, type StoredSession } from '../../../src/store/sessions/learn-sessions.ts'

// The moves of the daemon and nothing around them, committed one by one or by the turn of the loop.
const [, , file = '', mode = ''] = process.argv
const store = Store.open(file, 'full')
const writer = store.schema
const alone = writer.transaction((work: (tx: Tx) => StoredSession) => work({ db: writer } as Tx))
const write = (work: (tx: Tx) => StoredSession): StoredSession | Promise<StoredSession> =>
  mode === 'group' ? store.write(work) : alone.immediate(work)

const app = Fastify()
const moves = [
  [pauseCapture, capture.pauseCapture],
  [
    resumeCapture,
    (ctx: CommandContext, id: string) => capture.resumeCapture(ctx, id, { max_phase: 1 }),
  ],
] as const
for (const [{ url }, move] of moves) {
  app.post<{ Params: { sessionId: string } }>(url, async ({ params, id }) => {
    const moved = await write((tx) =>
      move(
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
    return { session: toPublicSession(moved) }
  })
}
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
