import { randomUUID } from 'node:crypto'
import { insertEvidence } from '../../src/store/capture/evidence.ts'
import { listObservations, replaceObservation } from '../../src/store/capture/observations.ts'
import { insertObservedStep } from '../../src/store/capture/observed-steps.ts'
import type { Daemon } from '../kit/daemon.ts'

const APP = 'com.example.switches'

/** Gives each captured action of a session a screen before and after it: one more switch of a list is on. */
export async function addScreens(daemon: Daemon, sessionId: string, rows: number): Promise<void> {
  const { store } = daemon.system
  const events = store.read((reader) => listObservations(reader, sessionId))
  for (const [at, event] of events.entries()) {
    const before_state_ref = await keepScreen(daemon, sessionId, buildScreen(rows, at))
    const after_state_ref = await keepScreen(daemon, sessionId, buildScreen(rows, at + 1))
    const body = { kind: 'tap' as const, app: APP, node_path: `0.${at % rows}.1` }
    await store.write((tx) => {
      replaceObservation(tx, { ...event, before_state_ref, after_state_ref, app_family: APP })
      insertObservedStep(tx, { event_id: event.event_id, learn_session_id: sessionId, body })
    })
  }
}

async function keepScreen(daemon: Daemon, learn_session_id: string, xml: string): Promise<string> {
  const { store, evidenceFiles } = daemon.system
  const evidence_id = randomUUID()
  const content = { sha256: await evidenceFiles.write(Buffer.from(xml)), bytes: xml.length }
  const owner = { owner_user_id: 'local', learn_session_id, serial: 'phone' }
  const created_at = daemon.clock.now.toISOString()
  await store.write((tx) =>
    insertEvidence(tx, { ...owner, ...content, evidence_id, media_type: 'application/xml', created_at }),
  )
  return `evidence:${evidence_id}`
}

/** A list of switches of which the first ones are on. */
function buildScreen(rows: number, on: number): string {
  const list = Array.from({ length: rows }, (_, at) => {
    const top = at * 40
    const box = `[0,${top}][1000,${top + 40}]`
    const title = node('TextView', `text="Room ${at}" bounds="[0,${top}][500,${top + 40}]"`)
    const state = `checkable="true" checked="${at < on}" clickable="true"`
    const control = node('Switch', `${state} bounds="[800,${top}][1000,${top + 40}]"`)
    return node('LinearLayout', `clickable="true" bounds="${box}"`, title + control)
  })
  const page = node('FrameLayout', `bounds="[0,0][1080,${rows * 40}]"`, list.join(''))
  return `<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0">${page}</hierarchy>`
}

const node = (name: string, attributes: string, inside = ''): string =>
  `<node class="android.widget.${name}" package="${APP}" enabled="true" ${attributes}>${inside}</node>`
