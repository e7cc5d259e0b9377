import type { FastifyInstance } from 'fastify'
import {
  approveImport,
  discardImport,
  getImport,
  installImport,
  listImports,
  listSkillPacks,
  rejectImport,
  retryImport,
  scanBundle,
  stageImport,
  streamImportEvents,
  testTrigger,
} from '@apprentice/contracts/skills/imports.ts'
import { jobOf } from '../domain/install/saga-record.ts'
import * as decisions from '../domain/skill-import/decisions.ts'
import { importJobOf } from '../domain/skill-import/import-jobs.ts'
import { isOver } from '../domain/skill-import/record/import-machine.ts'
import {
  getOwnImport,
  publicImport,
  subjectOf,
  warningsOf,
} from '../domain/skill-import/record/import-record.ts'
import { beginImportInstall, type ImportInstall } from '../domain/skill-import/installing.ts'
import { skillPacks } from '../domain/skill-import/record/packs.ts'
import { beginScan, reportOf } from '../domain/skill-import/scans.ts'
import { beginStage } from '../domain/skill-import/staging.ts'
import { testTrigger as tryTrigger } from '../domain/skill-import/test-trigger.ts'
import { Failure } from '../failure/failure.ts'
import { type RequestContext, mounting } from '../http/mount.ts'
import { mountStream } from '../http/stream.ts'
import {
  findImport,
  type ImportRow,
  listImports as listRows,
} from '../store/skill-import/skill-imports.ts'
import type { System } from '../daemon/system.ts'

const longestWaitMs = 300_000

export function skillImportRoutes(app: FastifyInstance, system: System): void {
  const { desk } = system
  const on = mounting(app)
  workRoutes(app, system)
  decisionRoutes(app, system)
  streamRoute(app, system)

  on(listSkillPacks)(() => ({ packs: [...skillPacks], schema_version: 1 }))

  on(listImports)(({ caller, query }) =>
    desk.read((reader) => {
      const { imports, total } = listRows(reader, caller.user_id, query)
      const items = imports.map((row) => ({
        ...publicImport(row),
        warnings: warningsOf(row, desk.now()),
      }))
      return { items, total, page: query.page, page_size: query.page_size }
    }),
  )

  on(getImport)(({ caller, params }) =>
    desk.read((reader) => {
      const row = getOwnImport(reader, params.importId, caller.user_id)
      const { report, partial_deployment, proposal_id } = row
      return {
        import_record: publicImport(row),
        ...(report === undefined ? {} : { compatibility_report: report }),
        ...(partial_deployment === undefined ? {} : { partial_deployment }),
        ...(proposal_id === undefined ? {} : { proposal_id }),
        warnings: warningsOf(row, desk.now()),
        schema_version: 1 as const,
      }
    }),
  )

  on(testTrigger)((asked) => desk.command(asked, (act) => tryTrigger(act, asked.body)))
}

function streamRoute(app: FastifyInstance, { desk, hub, config }: System): void {
  mountStream(app, streamImportEvents, {
    hub,
    streams_per_token: config.settings.limits.streams_per_token,
    find: async (asked, read) => {
      const { importId } = (asked as RequestContext<{ importId: string }>).params
      return desk.read((reader) => {
        getOwnImport(reader, importId, asked.caller.user_id)
        return read(reader, {
          subject: subjectOf(importId),
          isOver: (now) => isOver(findImport(now, importId)?.stage_state ?? 'discarded'),
        })
      })
    },
  })
}

/** Routes that answer when the work is done. */
function workRoutes(app: FastifyInstance, system: System): void {
  const { desk } = system
  const on = mounting(app)

  on(scanBundle)(async (asked) => {
    const ref = refOf(asked.body)
    const { source } = asked.body
    const marks = await desk.command(asked, (act) => marksOf(beginScan(act, { ref, source })))
    const row = await finished(system, marks)
    const compatibility_report = reportOf(row)
    return { import_record: publicImport(row), compatibility_report, schema_version: 1 }
  })

  on(stageImport)(async (asked) => {
    const { import_id, ...wanted } = asked.body
    const marks = await desk.command(asked, (act) => marksOf(beginStage(act, import_id, wanted)))
    const row = await finished(system, marks)
    assertStaged(row)
    return {
      import_record: publicImport(row),
      materialized_bundle_ref: row.source_ref,
      schema_version: 1,
    }
  })

  on(installImport)((asked) =>
    install(system, asked, { kind: 'install', target_scope: asked.body.target_scope }),
  )
  on(approveImport)((asked) => install(system, asked, { kind: 'approve' }))
}

function decisionRoutes(app: FastifyInstance, system: System): void {
  const { desk, jobs } = system
  const on = mounting(app)

  on(rejectImport)((asked) =>
    desk.command(asked, (act) =>
      decided(decisions.rejectImport(act, asked.body.import_id, asked.body.reason)),
    ),
  )

  on(discardImport)((asked) =>
    desk.command(asked, (act) =>
      decided(decisions.discardImport(act, asked.body.import_id, asked.body.reason)),
    ),
  )

  on(retryImport)(async (asked) => {
    const { import_id, retry_kind: kind } = asked.body
    const marks = await desk.command(asked, (act) => {
      const privileged = isAdmin(asked)
      const retried = decisions.retryImport(act, import_id, { kind, privileged })
      return retried instanceof Failure ? retried : { ...retried, row: marksOf(retried.row) }
    })
    const { saga_id, saga_attempts: attempts, receipt_id } = marks
    if (saga_id !== undefined && attempts !== undefined) {
      await jobs.settled(jobOf({ saga_id, attempts }), longestWaitMs)
    }
    const row = await finished(system, marks.row as Marks)
    if (kind === 'stage') assertStaged(row)
    if (kind === 'install') assertInstalled(row)
    return { ...decided({ row, receipt_id }), ...(saga_id === undefined ? {} : { saga_id }) }
  })
}

interface Marks {
  readonly import_id: string
  readonly attempts: number
}

const marksOf = (row: ImportRow | Failure): Marks | Failure =>
  row instanceof Failure ? row : { import_id: row.import_id, attempts: row.attempts }

/** The import once what was begun on it is over. */
async function finished({ jobs, desk }: System, marks: Marks): Promise<ImportRow> {
  await jobs.settled(importJobOf(marks), longestWaitMs)
  const row = desk.read((reader) => findImport(reader, marks.import_id) ?? null)
  if (row === null) throw new Error(`No row for import ${marks.import_id}.`)
  return row
}

async function install(
  system: System,
  asked: RequestContext<unknown, unknown, { import_id: string }>,
  wanted: Omit<ImportInstall, 'privileged'>,
) {
  const { desk, jobs } = system
  const { import_id } = asked.body
  const privileged = isAdmin(asked)
  const marks = await desk.command(asked, (act) => {
    const { saga, receipt_id } = beginImportInstall(act, import_id, { ...wanted, privileged })
    return { saga_id: saga.saga_id, attempts: saga.attempts, receipt_id }
  })
  const { saga_id, receipt_id } = marks
  await jobs.settled(jobOf(marks), longestWaitMs)
  const row = desk.read((reader) => getOwnImport(reader, import_id, asked.caller.user_id))
  assertInstalled(row)
  return { ...decided({ row, receipt_id }), saga_id }
}

const decided = ({ row, receipt_id }: decisions.Decided) => ({
  import_record: publicImport(row),
  receipt_id,
  schema_version: 1 as const,
})

function assertStaged({ stage_state, import_id, last_error_code }: ImportRow): void {
  if (stage_state !== 'stage_failed') return
  throw new Failure('SKILL_IMPORT_STAGE_FAILED', 'The bundle could not be unpacked.', {
    details: { import_id, reason: last_error_code },
  })
}

function assertInstalled({ stage_state, import_id, last_error_code: reason }: ImportRow): void {
  if (stage_state === 'install_queued') {
    throw new Failure('INSTALL_IN_PROGRESS', 'It takes longer than expected.', {
      details: { import_id },
    })
  }
  if (stage_state !== 'install_failed' && stage_state !== 'ready_for_review') return
  throw new Failure('SKILL_IMPORT_INSTALL_FAILED', 'The bundle could not be installed.', {
    details: { import_id, reason },
  })
}

/** One handle under either of its names. */
function refOf({
  temp_artifact_ref: ref,
  staged_upload_ref: older,
}: {
  temp_artifact_ref?: string | undefined
  staged_upload_ref?: string | undefined
}): string {
  const given = ref ?? older
  if (given !== undefined && (older ?? given) === given) return given
  const why = given === undefined ? 'is required' : 'and staged_upload_ref differ'
  throw new Failure('INVALID_REQUEST', `body temp_artifact_ref: ${why}`, {
    details: { field: 'temp_artifact_ref', in: 'body' },
  })
}

const isAdmin = ({ caller }: RequestContext): boolean => caller.privilege === 'admin'
