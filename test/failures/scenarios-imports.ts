import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { asking, type Scenario } from './scenarios.ts'
import { registerAbility } from '../../src/domain/abilities/registry.ts'
import { goodBundle, goodSkill, makeZip } from '../skill-import/archive.ts'
import { runCommand, scanned, send, staged, upload } from '../skill-import/importing.ts'

const good = makeZip(goodBundle())

export const importScenarios = {
  SKILL_IMPORT_NOT_FOUND: asking((daemon) => daemon.get(`/api/skills/import/${randomUUID()}`)),
  SKILL_IMPORT_UPLOAD_NOT_FOUND: asking((daemon) =>
    daemon.delete(`/api/skills/import/uploads/tmpart_${randomUUID()}`),
  ),
  SKILL_IMPORT_UPLOAD_EXPIRED: asking(async (daemon) => {
    const { import_record } = await scanned(daemon)
    daemon.clock.advance(24 * 3_600_000)
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_UPLOAD_IN_USE: asking(async (daemon) => {
    const { temp_artifact } = await upload(daemon)
    await daemon.system.store.write((tx) => {
      tx.db.exec(`UPDATE skill_imports SET stage_state = 'staging'`)
    })
    return daemon.delete(`/api/skills/import/uploads/${temp_artifact.temp_artifact_ref}`)
  }),
  SKILL_IMPORT_FILE_TOO_LARGE: asking((daemon) =>
    send(daemon, Buffer.alloc(100 * 1024 * 1024 + 1, 'PK')),
  ),
  SKILL_IMPORT_UNSUPPORTED_MIME: asking((daemon) => send(daemon, good, { type: 'image/png' })),
  SKILL_IMPORT_UNSUPPORTED_EXTENSION: asking((daemon) => send(daemon, good, { filename: 'a.tar' })),
  SKILL_IMPORT_ARCHIVE_REQUIRED: asking((daemon) => send(daemon, Buffer.from('no zip'))),
  SKILL_IMPORT_INVALID_STATE: asking(async (daemon) =>
    runCommand(daemon, 'stage', { import_id: (await upload(daemon)).import_id }),
  ),
  SKILL_IMPORT_NOT_COMPATIBLE: asking(async (daemon) => {
    const { import_record } = await scanned(daemon, [{ name: 'SKILL.md', content: '# No header' }])
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_COLLISION: asking(async (daemon) => {
    const { import_record } = await scanned(daemon, [
      { name: 'SKILL.md', content: goodSkill('browser') },
    ])
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_ADAPTER_REQUIRED: asking(async (daemon) => {
    const content = goodSkill().replace('read, write', 'Teleport')
    const { import_id } = await staged(daemon, [{ name: 'SKILL.md', content }])
    return runCommand(daemon, 'approve', { import_id })
  }),
  SKILL_IMPORT_PACK_UNKNOWN: asking((daemon) =>
    send(daemon, good, { metadata: { requested_pack_id: 'none' } }),
  ),
  SKILL_IMPORT_STAGE_FAILED: asking(async (daemon) => {
    const { import_record } = await scanned(daemon)
    writeFileSync(join(daemon.home, 'imports', 'staged'), 'in the way')
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_INSTALL_FAILED: asking(async (daemon) => {
    const { import_id } = await staged(daemon)
    mkdirSync(join(daemon.home, 'workspace', 'skills', 'tidy-notes'), { recursive: true })
    return runCommand(daemon, 'install-private', { import_id })
  }),
  ABILITY_NOT_PORTABLE: asking(async (daemon) => {
    await daemon.system.store.write((tx) => {
      const now = daemon.clock.now.toISOString()
      const actor = { kind: 'system' as const, user_id: 'local' }
      registerAbility(
        { tx, now, actor, correlation_id: 'c', newId: randomUUID },
        {
          ability_id: 'native.browser',
          owner_user_id: 'local',
          title: 'Browser',
          family: 'native',
          source: 'native',
          install_lane: 'shared_promoted',
          current_version: 1,
        },
      )
    })
    return daemon.get('/api/abilities/native.browser/export')
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
