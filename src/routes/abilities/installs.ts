import type { FastifyInstance } from 'fastify'
import {
  approveProposal,
  compareVersions,
  getInstallSaga,
  installProposal,
  listVersions,
  rollbackAbility,
  uninstallAbility,
} from '@apprentice/contracts/abilities/installs.ts'
import { getVisibleAbility } from '../../domain/abilities/visibility.ts'
import { startRollback } from '../../domain/install/rollback.ts'
import { buildSagaJobId } from '../../domain/install/saga-record.ts'
import { recordApproval, startInstall } from '../../domain/install/start-install.ts'
import { startUninstall } from '../../domain/install/uninstall.ts'
import { findComparedTexts, type VersionText } from '../../domain/install/version-diff.ts'
import { formatLineDiff } from '../../domain/proposals/content/diff.ts'
import { buildProposalDetail } from '../../domain/proposals/detail.ts'
import { getOwnProposal } from '../../domain/proposals/moves.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { listAbilityVersions } from '../../store/abilities/ability-versions.ts'
import { findSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import { toPublicProposal } from '../../store/proposals/proposals.ts'
import type { System } from '../../daemon/system.ts'

const MAX_WAIT_MS = 60_000

export function installRoutes(app: FastifyInstance, { commands, jobs, bundles }: System): void {
  const on = mountContract(app)

  /** Waits until the saga has completed. Throws the failure of one that has not. */
  const waitForSaga = async ({ saga_id, attempts }: SagaKey): Promise<SagaRow> => {
    await jobs.waitUntilSettled(buildSagaJobId({ saga_id, attempts }), MAX_WAIT_MS)
    const saga = commands.read((reader) => findSaga(reader, saga_id))
    if (saga?.status === 'completed') return saga
    throw toFailure(saga)
  }

  on(installProposal)(async (request) => {
    const { install_lane, draft_hash } = request.body
    const sagaKey = await commands.command(request, (ctx) =>
      toSagaKey(
        startInstall(ctx, request.params.proposalId, {
          kind: 'install',
          lane: install_lane,
          draft_hash,
          privileged: isAdmin(request),
        }),
      ),
    )
    const { ability_id, saga_id } = await waitForSaga(sagaKey)
    const proposal = commands.read((reader) =>
      getOwnProposal(reader, request.params.proposalId, request.caller.user_id),
    )
    return { proposal: toPublicProposal(proposal), ability_id, saga_id, schema_version: 1 }
  })

  on(approveProposal)(async (request) => {
    const { approval_scope, approval_note, draft_hash } = request.body
    const { proposalId } = request.params
    const sagaKey = await commands.command(request, (ctx) => {
      const saga = startInstall(ctx, proposalId, {
        kind: 'approve',
        lane: approval_scope,
        draft_hash,
        privileged: isAdmin(request),
      })
      recordApproval(ctx, saga, approval_note)
      return toSagaKey(saga)
    })
    await waitForSaga(sagaKey)
    return commands.read((reader) => buildProposalDetail(reader, proposalId, request.caller.user_id))
  })

  on(rollbackAbility)(async (request) => {
    const sagaKey = await commands.command(request, (ctx) =>
      toSagaKey(
        startRollback(ctx, request.params.abilityId, {
          version: request.body.version,
          privileged: isAdmin(request),
        }),
      ),
    )
    const { ability_id, version, saga_id } = await waitForSaga(sagaKey)
    const versions = commands.read((reader) => listAbilityVersions(reader, ability_id))
    const restored_from = versions.find((row) => row.version === version)?.restored_from ?? version
    return { ability_id, version, restored_from, saga_id, schema_version: 1 }
  })

  on(uninstallAbility)(async (request) => {
    const sagaKey = await commands.command(request, (ctx) =>
      toSagaKey(startUninstall(ctx, request.params.abilityId, isAdmin(request))),
    )
    const { ability_id, saga_id } = await waitForSaga(sagaKey)
    return { ability_id, uninstalled: true as const, saga_id, schema_version: 1 }
  })

  on(listVersions)(({ caller, params }) =>
    commands.read((reader) => {
      const { current_version } = getVisibleAbility(reader, params.abilityId, caller.user_id)
      const versions = listAbilityVersions(reader, params.abilityId).map(
        ({ version, proposal_id, draft_hash, install_lane, restored_from, ...row }) => ({
          version,
          current: version === current_version,
          ...(proposal_id === undefined ? {} : { proposal_id }),
          draft_hash,
          install_lane,
          ...(restored_from === undefined ? {} : { restored_from }),
          installed_at: row.installed_at,
          ...(row.retired_at === undefined ? {} : { retired_at: row.retired_at }),
        }),
      )
      return { versions, schema_version: 1 as const }
    }),
  )

  const readText = async (text: VersionText | undefined): Promise<string> =>
    text === undefined ? '' : (await bundles.readContent(text)).toString('utf8')

  on(compareVersions)(async ({ caller, params, query }) => {
    const { version, from, texts } = commands.read((reader) =>
      findComparedTexts(reader, params.abilityId, caller.user_id, { version: params.version, from: query.from }),
    )
    const diffs = await Promise.all(
      texts.map(async ({ name, before, after }) => ({
        name,
        diff: formatLineDiff(await readText(before), await readText(after)),
      })),
    )
    return { version, ...(from !== undefined && { from }), diffs, schema_version: 1 as const }
  })

  on(getInstallSaga)(({ caller, params }) => {
    const saga = commands.read((reader) => findSaga(reader, params.sagaId))
    const shared = saga?.install_lane !== 'experimental_private' && caller.privilege === 'admin'
    if (saga === undefined || !(shared || saga.owner_user_id === caller.user_id)) {
      throw new Failure('INSTALL_NOT_FOUND', `No installation ${params.sagaId}.`)
    }
    const { owner_user_id: _, ...visible } = saga
    return { saga: { ...visible, schema_version: 1 as const }, schema_version: 1 }
  })
}

type SagaKey = Pick<SagaRow, 'saga_id' | 'attempts'>

const toSagaKey = ({ saga_id, attempts }: SagaRow): SagaKey => ({ saga_id, attempts })

const isAdmin = ({ caller }: RequestContext): boolean => caller.privilege === 'admin'

/** The failure of a saga that did not complete. Without an error code it is still running. */
function toFailure(saga: SagaRow | undefined): Failure {
  const { saga_id, status, step, error_code, error_reason: reason } = saga ?? {}
  const details = { saga_id, status, step, reason }
  switch (error_code) {
    case 'BRIDGE_REBUILD_FAILED':
    case 'AVAILABILITY_REFRESH_FAILED':
    case 'INTERNAL_ERROR':
      return new Failure(error_code, FAILURE_MESSAGES[error_code], { details })
    case 'STORAGE_FULL':
    case 'STORE_UNAVAILABLE':
      return new Failure(error_code, 'The disk of the daemon could not be written, so the change was undone.', {
        details,
      })
    case undefined:
      return new Failure(
        'INSTALL_IN_PROGRESS',
        'The installation takes longer than expected. Read the saga for its state.',
        { details },
      )
    default:
      return new Failure('MATERIALIZATION_FAILED', 'The files of the skill could not be written or removed.', {
        details,
      })
  }
}

const FAILURE_MESSAGES = {
  BRIDGE_REBUILD_FAILED: 'The bridge could not be built. The last valid one stays active.',
  AVAILABILITY_REFRESH_FAILED: 'The availability of abilities could not be computed.',
  INTERNAL_ERROR: 'The installation failed because of an internal error.',
} as const
