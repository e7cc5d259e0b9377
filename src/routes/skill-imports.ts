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
  const { commands } = system
  const on = mounting(app)
  workRoutes(app, system)
  decisionRoutes(app, system)
  streamRoute(app, system)

  on(listSkillPacks)(() => ({ packs: [...skillPacks], schema_version: 1 }))

  on(listImports)(({ caller, query }) =>
    commands.read((reader) => {
      const { imports, total } = listRows(reader, caller.user_id, query)
      const items = imports.map((row) => ({
        ...publicImport(row),
        warnings: warningsOf(row, commands.now()),
      }))
      return { items, total, page: query.page, page_size: query.page_size }
    }),
  )

  on(getImport)(({ caller, params }) =>
    commands.read((reader) => {
      const row = getOwnImport(reader, params.importId, caller.user_id)
      const { report, partial_deployment, proposal_id } = row
      return {
        import_record: publicImport(row),
        ...(report === undefined ? {} : { compatibility_report: report }),
        ...(partial_deployment === undefined ? {} : { partial_deployment }),
        ...(proposal_id === undefined ? {} : { proposal_id }),
        warnings: warningsOf(row, commands.now()),
        schema_version: 1 as const,
      }
    }),
  )

  on(testTrigger)((request) => commands.command(request, (ctx) => tryTrigger(ctx, request.body)))
}

function streamRoute(app: FastifyInstance, { commands, hub, config }: System): void {
  mountStream(app, streamImportEvents, {
    hub,
    streams_per_token: config.settings.limits.streams_per_token,
    find: async (request, read) => {
      const { importId } = (request as RequestContext<{ importId: string }>).params
      return commands.read((reader) => {
        getOwnImport(reader, importId, request.caller.user_id)
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
  const { commands } = system
  const on = mounting(app)

  on(scanBundle)(async (request) => {
    const ref = refOf(request.body)
    const { source } = request.body
    const marks = await commands.command(request, (ctx) => marksOf(beginScan(ctx, { ref, source })))
    const row = await finished(system, marks)
    const compatibility_report = reportOf(row)
    return { import_record: publicImport(row), compatibility_report, schema_version: 1 }
  })

  on(stageImport)(async (request) => {
    const { import_id, ...wanted } = request.body
    const marks = await commands.command(request, (ctx) =>
      marksOf(beginStage(ctx, import_id, wanted)),
    )
    const row = await finished(system, marks)
    assertStaged(row)
    return {
      import_record: publicImport(row),
      materialized_bundle_ref: row.source_ref,
      schema_version: 1,
    }
  })

  on(installImport)((request) =>
    install(system, request, { kind: 'install', target_scope: request.body.target_scope }),
  )
  on(approveImport)((request) => install(system, request, { kind: 'approve' }))
}

function decisionRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs } = system
  const on = mounting(app)

  on(rejectImport)((request) =>
    commands.command(request, (ctx) =>
      decided(decisions.rejectImport(ctx, request.body.import_id, request.body.reason)),
    ),
  )

  on(discardImport)((request) =>
    commands.command(request, (ctx) =>
      decided(decisions.discardImport(ctx, request.body.import_id, request.body.reason)),
    ),
  )

  on(retryImport)(async (request) => {
    const { import_id, retry_kind: kind } = request.body
    const marks = await commands.command(request, (ctx) => {
      const privileged = isAdmin(request)
      const retried = decisions.retryImport(ctx, import_id, { kind, privileged })
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
async function finished({ jobs, commands }: System, marks: Marks): Promise<ImportRow> {
  await jobs.settled(importJobOf(marks), longestWaitMs)
  const row = commands.read((reader) => findImport(reader, marks.import_id) ?? null)
  if (row === null) throw new Error(`No row for import ${marks.import_id}.`)
  return row
}

async function install(
  system: System,
  request: RequestContext<unknown, unknown, { import_id: string }>,
  wanted: Omit<ImportInstall, 'privileged'>,
) {
  const { commands, jobs } = system
  const { import_id } = request.body
  const privileged = isAdmin(request)
  const marks = await commands.command(request, (ctx) => {
    const { saga, receipt_id } = beginImportInstall(ctx, import_id, { ...wanted, privileged })
    return { saga_id: saga.saga_id, attempts: saga.attempts, receipt_id }
  })
  const { saga_id, receipt_id } = marks
  await jobs.settled(jobOf(marks), longestWaitMs)
  const row = commands.read((reader) => getOwnImport(reader, import_id, request.caller.user_id))
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
