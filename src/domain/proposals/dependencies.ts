import type { LearningDocumentDependency } from '@apprentice/contracts/learn/proposal.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityIdByProposedCapability } from '../../store/capabilities/capability-owners.ts'
import { listConfigDocuments } from '../../store/config/config-documents.ts'
import type { Reader } from '../../store/db/db.ts'
import { listDraftFiles } from '../../store/proposals/draft-files.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { listDependencies, replaceDependencies } from '../../store/proposals/proposal-dependencies.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'

/** Whether a dependency exists. `unknown` if the daemon cannot determine it. */
export type Presence = 'present' | 'missing' | 'unknown'

/** Saves the dependencies of a draft: its support packs and the skill it improves. */
export function saveDependencies(
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

export function checkPresence(reader: Reader, dependency: LearningDocumentDependency): Presence {
  const { proposal_id, dependency_kind, dependency_ref } = dependency
  switch (dependency_kind) {
    case 'existing_skill':
      return toPresence(findAbility(reader, dependency_ref) !== undefined)
    case 'capability_manifest':
      return toPresence(findAbilityIdByProposedCapability(reader, dependency_ref) !== undefined)
    case 'test_artifact':
      return toPresence(listDraftFiles(reader, proposal_id).some(({ name }) => name === dependency_ref))
    case 'support_pack':
      // The daemon does not store packs. A pack that is bound to a capability exists.
      return isBoundPack(reader, dependency_ref) ? 'present' : 'unknown'
    case 'app_manual':
      return 'unknown'
  }
}

/** Throws if a required dependency is missing. */
export function assertDependencies(reader: Reader, proposalId: string): void {
  const missing = listDependencies(reader, proposalId).filter(
    (dependency) => dependency.required && checkPresence(reader, dependency) === 'missing',
  )
  const [first] = missing
  if (first === undefined) return
  throw new Failure('DEPENDENCY_MISSING', `The skill requires ${first.dependency_ref}, which does not exist.`, {
    details: {
      missing: missing.map(({ dependency_kind, dependency_ref }) => ({
        dependency_kind,
        dependency_ref,
      })),
    },
  })
}

const toPresence = (found: boolean): Presence => (found ? 'present' : 'missing')

function isBoundPack(reader: Reader, ref: string): boolean {
  return listConfigDocuments(reader)
    .filter(({ name }) => name.startsWith('_support_packs/'))
    .some(({ body }) => Object.keys(body).includes(ref) || containsRef(body, ref))
}

function containsRef(value: unknown, ref: string): boolean {
  if (typeof value === 'string') return value === ref
  return typeof value === 'object' && value !== null && Object.values(value).some((inner) => containsRef(inner, ref))
}
