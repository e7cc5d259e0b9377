import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../crash/random.ts'
import { buildForm, FORM_TYPE } from '../skill-import/upload-form.ts'
import type { Attack } from './attack.ts'
import { ADMIN_TOKEN, AttackedDaemon } from './attacked-daemon.ts'
import type { Answer } from './figures.ts'
import { listHostileBundles } from './hostile-bundles.ts'
import { RequestSender } from './request-sender.ts'
import { findStuckWork } from './stuck-work.ts'

/** A scan is answered at its end. */
const SCAN_MS = 30_000
/** The folders of a home that may contain files of bundles. */
const IMPORT_FOLDERS = /^(?:imports|uploads|skills|workspace|system|evidence)\b/

/** Uploads hostile bundles, scans them and stages those that pass. */
export async function attackWithBundles(attack: Attack): Promise<void> {
  if (attack.plan.bundles === 0) return
  const daemon = new AttackedDaemon({ probe: attack.probe })
  const sender = new RequestSender()
  const post = async (path: string, body: Buffer, { type = 'application/json', asked_ms = 0 } = {}) => {
    const headers = { 'content-type': type, 'idempotency-key': randomUUID() }
    const request = { method: 'POST', path, headers, body, what: `POST ${path}`, asked_ms, stream: false }
    const answer = await sender.send(daemon, request, ADMIN_TOKEN)
    if (answer === undefined) attack.figures.fault(`${path} got no reply`)
    else attack.figures.answer(answer)
    return answer
  }
  try {
    await daemon.start()
    for (const { name, archive } of listHostileBundles(attack.plan.bundles, createRandom(attack.plan.seed + 2))) {
      if (attack.isOver) break
      const uploaded = await post('/api/skills/import/uploads', buildForm(archive), { type: FORM_TYPE })
      attack.figures.count('hostile_bundles')
      attack.progress(`hostile bundles, now ${name}`, attack.figures.counts['hostile_bundles'] ?? 0)
      const ref = readField(uploaded, 'temp_artifact', 'temp_artifact_ref')
      if (ref === undefined) continue
      const scan = { source: 'manual_upload', temp_artifact_ref: ref }
      const scanned = await post('/api/skills/import/scan', Buffer.from(JSON.stringify(scan)), { asked_ms: SCAN_MS })
      const import_id = readField(scanned, 'import_record', 'import_id')
      if (import_id === undefined) continue
      await post('/api/skills/import/stage', Buffer.from(JSON.stringify({ import_id })), { asked_ms: SCAN_MS })
    }
    for (const path of findStrayFiles(daemon.home)) attack.figures.fault(`a bundle wrote ${path}`)
    for (const stuck of await findStuckWork(daemon, { local: ADMIN_TOKEN })) attack.stuck(`bundles: ${stuck}`)
    const code = await daemon.stop()
    if (code !== 0) attack.figures.fault(`after hostile bundles the daemon stopped with ${String(code)}`)
  } finally {
    sender.close()
    await daemon.remove()
  }
}

function readField(answer: Answer | undefined, part: string, field: string): string | undefined {
  if (answer === undefined || answer.status >= 300) return undefined
  const reply = JSON.parse(answer.body) as Record<string, Record<string, unknown> | undefined>
  const value = reply[part]?.[field]
  return typeof value === 'string' ? value : undefined
}

/** Files with the name of an entry of a hostile bundle, beside the home or in a folder of it that is not for bundles. */
function findStrayFiles(home: string): string[] {
  const beside = readdirSync(join(home, '..')).filter((name) => name.startsWith('evil'))
  const inside = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /(?:^|\/)evil/.test(path) && !IMPORT_FOLDERS.test(path),
  )
  return [...beside, ...inside]
}
