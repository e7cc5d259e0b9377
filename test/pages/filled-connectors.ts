import { askToWrite, connectTools } from '../connectors/call-kit.ts'
import { createProfile, patch, register, smokeTest } from '../connectors/connector-kit.ts'
import type { ToolServer } from '../connectors/tool-server.ts'
import type { Daemon } from '../kit/daemon.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'

export interface FilledConnectors {
  /** A server that works, with a call that waits for a decision. */
  readonly notes: { readonly remote: ToolServer; readonly server_id: string }
  /** A server that answered that there were too many requests. */
  readonly throttled: string
  /** A server that failed three times. */
  readonly degraded: string
}

/** Registers connectors in every state that a page displays. */
export async function fillConnectors(daemon: Daemon, whenOver?: WhenOver): Promise<FilledConnectors> {
  const options = whenOver === undefined ? {} : { whenOver }
  const notes = await connectTools(daemon, options)
  await askToWrite(daemon, notes.server_id, {
    arguments: { title: 'Dentist', body: 'Tuesday at nine' },
    why_needed: 'The person asked to note the appointment.',
    session_ref: 'session-1',
  })
  const busy = await connectTools(daemon, { ...options, display_name: 'Busy server' })
  Object.assign(busy.remote, { status: 429, headers: { 'retry-after': '60' } })
  await smokeTest(daemon, busy.server_id)
  const broken = await connectTools(daemon, { ...options, display_name: 'Broken server' })
  broken.remote.status = 500
  for (let times = 0; times < 3; times += 1) await smokeTest(daemon, broken.server_id)
  const auth_profile_id = await createProfile(daemon, { scopes: ['mail.read'] })
  await register(daemon, { display_name: 'Mail server', auth_profile_id })
  const { registry } = await register(daemon, { display_name: 'Old server' })
  await patch(daemon, `/api/mcp/servers/${registry.server_id}`, { enabled: false })
  return { notes, throttled: busy.server_id, degraded: broken.server_id }
}
