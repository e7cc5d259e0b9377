import type { LearningDocumentDependency } from '@apprentice/contracts/learn/proposal.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityIdOfCapability } from '../../store/capabilities/capability-owners.ts'
import { listConfigDocuments } from '../../store/config/config-documents.ts'
import type { Reader } from '../../store/db/db.ts'
import { listDraftFiles } from '../../store/proposals/draft-files.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import {
  listDependencies,
  replaceDependencies,
} from '../../store/proposals/proposal-dependencies.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'

/** Whether what a draft needs is there. `unknown`: nobody here can tell. */
export type Presence = 'present' | 'missing' | 'unknown'

/** Writes down what a draft needs: the packs it names, and the skill it is a new version of. */
export function setDependencies(
  ctx: CommandContext,
  { proposal_id, support_pack_refs }: StoredProposal,
  session: Pick<StoredSession, 'target_kind' | 'target_skill_id'> | undefined,
): void {
  const improved = session?.target_kind === 'existing_skill' ? session.target_skill_id : undefined
  replaceDependencies(ctx.tx, proposal_id, [
    ...support_pack_refs.map((dependency_ref) => ({
      dependency_kind: 'support_pack' as const,
      dependency_ref,
      required: true,
    })),
    ...(improved === undefined
      ? []
      : [{ dependency_kind: 'existing_skill' as const, dependency_ref: improved, required: true }]),
  ])
}

export function presenceOf(reader: Reader, dependency: LearningDocumentDependency): Presence {
  const { proposal_id, dependency_kind, dependency_ref } = dependency
  switch (dependency_kind) {
    case 'existing_skill':
      return there(findAbility(reader, dependency_ref) !== undefined)
    case 'capability_manifest':
      return there(findAbilityIdOfCapability(reader, dependency_ref) !== undefined)
    case 'test_artifact':
      return there(listDraftFiles(reader, proposal_id).some(({ name }) => name === dependency_ref))
    case 'support_pack':
      // Packs live with whoever brings them; what is bound to a capability is known to exist.
      return isBoundPack(reader, dependency_ref) ? 'present' : 'unknown'
    case 'app_manual':
      return 'unknown'
  }
}

/** Refuses what cannot work: something it requires is known not to be there. */
export function assertDependencies(reader: Reader, proposalId: string): void {
  const missing = listDependencies(reader, proposalId).filter(
    (dependency) => dependency.required && presenceOf(reader, dependency) === 'missing',
  )
  const [first] = missing
  if (first === undefined) return
  throw new Failure(
    'DEPENDENCY_MISSING',
    `The skill needs ${first.dependency_ref}, which is not there.`,
    {
      details: {
        missing: missing.map(({ dependency_kind, dependency_ref }) => ({
          dependency_kind,
          dependency_ref,
        })),
      },
    },
  )
}

const there = (found: boolean): Presence => (found ? 'present' : 'missing')

function isBoundPack(reader: Reader, ref: string): boolean {
  return listConfigDocuments(reader)
    .filter(({ name }) => name.startsWith('_support_packs/'))
    .some(({ body }) => Object.keys(body).includes(ref) || mentions(body, ref))
}

function mentions(value: unknown, ref: string): boolean {
  if (typeof value === 'string') return value === ref
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((inner) => mentions(inner, ref))
  )
}
