import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@apprentice/contracts/client.ts'
import { listConnectorReceipts, type ConnectorReceipt } from '@apprentice/contracts/connectors/receipts.ts'
import { startConnectorSignIn } from '@apprentice/contracts/connectors/sign-in.ts'

const POLL_MS = 500
/** As long as a sign-in is open. The clock of the daemon may be another one. */
const SIGN_IN_MS = 10 * 60_000

interface SignIn {
  readonly server_id: string
  readonly scopes?: readonly string[] | undefined
  /** Shows the link to the person. */
  readonly show: (link: string) => void
}

/** Begins a sign-in, shows its link, and waits until it has ended. Returns how it ended. */
export async function signIn(call: Client, { server_id, scopes, show }: SignIn): Promise<ConnectorReceipt> {
  const before = await findLastCallback(call, server_id)
  const override = scopes === undefined ? {} : { requested_scopes_override: [...scopes] }
  const start = await call(startConnectorSignIn, { params: { serverId: server_id }, body: { server_id, ...override } })
  show(start.auth_url)
  const end = performance.now() + SIGN_IN_MS
  while (performance.now() < end) {
    const last = await findLastCallback(call, server_id)
    if (last !== undefined && last.receipt_id !== before?.receipt_id) return last
    await pause(POLL_MS)
  }
  throw new Error('Nobody signed in in time. Begin again.')
}

async function findLastCallback(call: Client, server_id: string): Promise<ConnectorReceipt | undefined> {
  const query = { server_id, receipt_kind: 'auth_callback' as const, limit: 1 }
  return (await call(listConnectorReceipts, { query })).receipts[0]
}
