import type { FastifyInstance } from 'fastify'
import {
  approveImport,
  discardImport,
  getImport,
  installImport,
  listImports,
  listSkillPacks,
  overrideFindings,
  putSkillPack,
  rejectImport,
  retryImport,
  scanBundle,
  stageImport,
  streamImportEvents,
  testTrigger,
} from '@apprentice/contracts/skills/imports.ts'
import { buildSagaJobId } from '../../domain/install/saga-record.ts'
import * as decisions from '../../domain/skill-import/decisions.ts'
import { formatImportJobId } from '../../domain/skill-import/import-jobs.ts'
import { isFinalState } from '../../domain/skill-import/record/import-machine.ts'
import {
  getOwnImport,
  toImportedSkillRecord,
  formatImportSubject,
  listImportWarnings,
} from '../../domain/skill-import/record/import-record.ts'
import { beginImportInstall, type ImportInstall } from '../../domain/skill-import/import-install.ts'
import { savePack } from '../../domain/skill-import/record/packs.ts'
import { listPacks } from '../../store/skill-import/skill-packs.ts'
import { overrideFindings as override } from '../../domain/skill-import/finding-overrides.ts'
import { beginImportScan, getReport } from '../../domain/skill-import/scans.ts'
import { beginStage } from '../../domain/skill-import/staging.ts'
import { testTrigger as tryTrigger } from '../../domain/skill-import/trigger-test.ts'
import { Failure } from '../../failure/failure.ts'
import { toStorageFailure } from '../../failure/storage-failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { mountStream } from '../../http/event-stream-routes.ts'
import { createSubjectSource } from '../../live/source.ts'
import { findImport, type ImportRow, listImports as listRows } from '../../store/skill-import/skill-imports.ts'
import type { System } from '../../daemon/system.ts'

const MAX_WAIT_MS = 300_000

export function skillImportRoutes(app: FastifyInstance, system: System): void {
  const { commands } = system
  const on = mountContract(app)
  jobRoutes(app, system)
  decisionRoutes(app, system)
  streamRoute(app, system)

  on(listSkillPacks)(() => ({ packs: commands.read((reader) => listPacks(reader)), schema_version: 1 }))

  on(putSkillPack)((request) =>
    commands.command(request, (ctx) => {
      const { title, description, compatibility_target, active_build_surface } = request.body
      const pack_id = request.params.packId
      return savePack(ctx, {
        pack_id,
        title,
        description,
        compatibility_target,
        active_build_surface,
        schema_version: 1,
      })
    }),
  )

  on(listImports)(({ caller, query }) =>
    commands.read((reader) => {
      const { imports, total } = listRows(reader, caller.user_id, query)
      const items = imports.map((row) => ({
        ...toImportedSkillRecord(row),
        warnings: listImportWarnings(row, commands.now()),
      }))
      return { items, total, page: query.page, page_size: query.page_size }
    }),
  )

  on(getImport)(({ caller, params }) =>
    commands.read((reader) => {
      const row = getOwnImport(reader, params.importId, caller.user_id)
      const { report, partial_deployment, proposal_id } = row
      return {
        import_record: toImportedSkillRecord(row),
        ...(report === undefined ? {} : { compatibility_report: report }),
        ...(partial_deployment === undefined ? {} : { partial_deployment }),
        ...(proposal_id === undefined ? {} : { proposal_id }),
        warnings: listImportWarnings(row, commands.now()),
        schema_version: 1 as const,
      }
    }),
  )

  on(overrideFindings)((request) =>
    commands.command(request, (ctx) => {
      const { row, report, receipt_id } = override(ctx, request.body)
      return {
        import_record: toImportedSkillRecord(row),
        compatibility_report: report,
        receipt_id,
        schema_version: 1 as const,
      }
    }),
  )

  on(testTrigger)((request) => commands.command(request, (ctx) => tryTrigger(ctx, request.body)))
}

function streamRoute(app: FastifyInstance, { commands, hub, liveScreens, config }: System): void {
  mountStream(app, streamImportEvents, {
    hub,
    liveScreens,
    config,
    find: async (request, read) => {
      const { importId } = (request as RequestContext<{ importId: string }>).params
      return commands.read((reader) => {
        getOwnImport(reader, importId, request.caller.user_id)
        return read(
          reader,
          createSubjectSource(formatImportSubject(importId), (now) =>
            isFinalState(findImport(now, importId)?.stage_state ?? 'discarded'),
          ),
        )
      })
    },
  })
}

/** Routes that wait for a job and answer with its result. */
function jobRoutes(app: FastifyInstance, system: System): void {
  const { commands } = system
  const on = mountContract(app)

  on(scanBundle)(async (request) => {
    const ref = readUploadRef(request.body)
    const { source } = request.body
    const importKey = await commands.command(request, (ctx) => toImportKey(beginImportScan(ctx, { ref, source })))
    const row = await waitForImport(system, importKey)
    const compatibility_report = getReport(row)
    return { import_record: toImportedSkillRecord(row), compatibility_report, schema_version: 1 }
  })

  on(stageImport)(async (request) => {
    const { import_id, ...options } = request.body
    const importKey = await commands.command(request, (ctx) => toImportKey(beginStage(ctx, import_id, options)))
    const row = await waitForImport(system, importKey)
    assertStaged(row)
    return {
      import_record: toImportedSkillRecord(row),
      materialized_bundle_ref: row.source_ref,
      schema_version: 1,
    }
  })

  on(installImport)((request) => install(system, request, { kind: 'install', target_scope: request.body.target_scope }))
  on(approveImport)((request) => install(system, request, { kind: 'approve' }))
}

function decisionRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs } = system
  const on = mountContract(app)

  on(rejectImport)((request) =>
    commands.command(request, (ctx) =>
      toDecisionReply(decisions.rejectImport(ctx, request.body.import_id, request.body.reason)),
    ),
  )

  on(discardImport)((request) =>
    commands.command(request, (ctx) =>
      toDecisionReply(decisions.discardImport(ctx, request.body.import_id, request.body.reason)),
    ),
  )

  on(retryImport)(async (request) => {
    const { import_id, retry_kind: kind } = request.body
    const importKey = await commands.command(request, (ctx) => {
      const privileged = isAdmin(request)
      const retried = decisions.retryImport(ctx, import_id, { kind, privileged })
      return retried instanceof Failure ? retried : { ...retried, row: toImportKey(retried.row) }
    })
    const { saga_id, saga_attempts: attempts, receipt_id } = importKey
    if (saga_id !== undefined && attempts !== undefined) {
      await jobs.waitUntilSettled(buildSagaJobId({ saga_id, attempts }), MAX_WAIT_MS)
    }
    const row = await waitForImport(system, importKey.row as ImportKey)
    if (kind === 'stage') assertStaged(row)
    if (kind === 'install') assertInstalled(row)
    return {
      ...toDecisionReply({ row, receipt_id }),
      ...(saga_id === undefined ? {} : { saga_id }),
    }
  })
}

interface ImportKey {
  readonly import_id: string
  readonly attempts: number
}

const toImportKey = (row: ImportRow | Failure): ImportKey | Failure =>
  row instanceof Failure ? row : { import_id: row.import_id, attempts: row.attempts }

/** Waits until the import's job has settled and returns the import. */
async function waitForImport({ jobs, commands }: System, importKey: ImportKey): Promise<ImportRow> {
  await jobs.waitUntilSettled(formatImportJobId(importKey), MAX_WAIT_MS)
  const row = commands.read((reader) => findImport(reader, importKey.import_id) ?? null)
  if (row === null) throw new Error(`No row for import ${importKey.import_id}.`)
  return row
}

async function install(
  system: System,
  request: RequestContext<unknown, unknown, { import_id: string }>,
  options: Omit<ImportInstall, 'privileged'>,
) {
  const { commands, jobs } = system
  const { import_id } = request.body
  const privileged = isAdmin(request)
  const importKey = await commands.command(request, (ctx) => {
    const { saga, receipt_id } = beginImportInstall(ctx, import_id, { ...options, privileged })
    return { saga_id: saga.saga_id, attempts: saga.attempts, receipt_id }
  })
  const { saga_id, receipt_id } = importKey
  await jobs.waitUntilSettled(buildSagaJobId(importKey), MAX_WAIT_MS)
  const row = commands.read((reader) => getOwnImport(reader, import_id, request.caller.user_id))
  assertInstalled(row)
  return { ...toDecisionReply({ row, receipt_id }), saga_id }
}

const toDecisionReply = ({ row, receipt_id }: decisions.ImportDecision) => ({
  import_record: toImportedSkillRecord(row),
  receipt_id,
  schema_version: 1 as const,
})

function assertStaged({ stage_state, import_id, last_error_code }: ImportRow): void {
  if (stage_state !== 'stage_failed') return
  assertNoStorageFailure(import_id, last_error_code)
  throw new Failure('SKILL_IMPORT_STAGE_FAILED', 'The bundle could not be unpacked.', {
    details: { import_id, reason: last_error_code },
  })
}

function assertInstalled({ stage_state, import_id, last_error_code: reason }: ImportRow): void {
  if (stage_state === 'install_queued') {
    throw new Failure(
      'INSTALL_IN_PROGRESS',
      'The installation takes longer than expected. Read the import for its state.',
      {
        details: { import_id },
      },
    )
  }
  if (stage_state !== 'install_failed' && stage_state !== 'ready_for_review') return
  assertNoStorageFailure(import_id, reason)
  throw new Failure('SKILL_IMPORT_INSTALL_FAILED', 'The bundle could not be installed.', {
    details: { import_id, reason },
  })
}

function assertNoStorageFailure(import_id: string, reason: string | undefined): void {
  const failure = toStorageFailure({ code: reason })
  if (failure !== undefined) throw new Failure(failure.code, failure.message, { details: { import_id } })
}

/** The upload's handle, which has two accepted names. */
function readUploadRef({
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
