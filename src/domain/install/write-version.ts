import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  type AbilityWords,
  findAbilityVersion,
  insertAbilityVersion,
  listAbilityVersions,
} from '../../store/abilities/ability-versions.ts'
import { listDraftFiles } from '../../store/proposals/draft-files.ts'
import { insertInstalledFile, listInstalledFiles } from '../../store/install/installed-files.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findImportOfProposal } from '../../store/skill-import/skill-imports.ts'
import { findLatestRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { findProposalSession } from '../proposals/moves.ts'
import { bundleOf } from './skill-files.ts'

interface Wanted {
  readonly ability_id: string
  readonly lane: OpenLane
}

/** The version to put in place: a new one, or the one in force again when only its lane changes. */
export function writeVersion(
  ctx: CommandContext,
  proposal: StoredProposal,
  wanted: Wanted,
): number {
  const { ability_id, lane } = wanted
  const { proposal_id, draft_hash = '' } = proposal
  const inForce = versionInForce(ctx, ability_id)
  if (inForce?.proposal_id === proposal_id && inForce.draft_hash === draft_hash) {
    return inForce.version
  }
  const meaning = meaningOf(ctx, proposal)
  const run = findLatestRun(ctx.tx, proposal_id)
  const { files, ...bundle } = bundleOf({
    proposal,
    ability_id,
    drafts: listDraftFiles(ctx.tx, proposal_id),
    summary: meaning?.goal_summary ?? proposal.title,
    run_id: run?.validation_run_id,
  })
  const version = nextVersion(ctx, ability_id)
  insertAbilityVersion(ctx.tx, {
    ...bundle,
    ability_id,
    version,
    proposal_id,
    draft_hash,
    install_lane: lane,
    described: {
      ...wordsOf(ctx, proposal, meaning),
      ...(run?.overall_result === 'passed' ? { last_validated_at: run.completed_at } : {}),
    },
    materialized: false,
    projected: false,
    // Nobody may take it for usable before its last step says so.
    partial_state: 'bridge_pending',
    installed_at: ctx.now,
  })
  for (const file of files) insertInstalledFile(ctx.tx, { ...file, ability_id, version })
  return version
}

/** The same files and words again, as a version of its own. */
export function copyVersion(
  ctx: CommandContext,
  earlier: AbilityVersionRow,
  install_lane: OpenLane,
): number {
  const { ability_id } = earlier
  const version = nextVersion(ctx, ability_id)
  insertAbilityVersion(ctx.tx, {
    ...earlier,
    version,
    install_lane,
    restored_from: earlier.restored_from ?? earlier.version,
    materialized: false,
    projected: false,
    partial_state: 'bridge_pending',
    retired_at: undefined,
    installed_at: ctx.now,
  })
  for (const place of ['canonical', 'projected'] as const) {
    const files = listInstalledFiles(ctx.tx, { ability_id, version: earlier.version, place })
    for (const file of files) insertInstalledFile(ctx.tx, { ...file, version })
  }
  return version
}

const nextVersion = ({ tx }: CommandContext, abilityId: string): number =>
  (listAbilityVersions(tx, abilityId).at(-1)?.version ?? 0) + 1

function versionInForce({ tx }: CommandContext, abilityId: string): AbilityVersionRow | undefined {
  const ability = findAbility(tx, abilityId)
  return ability && findAbilityVersion(tx, abilityId, ability.current_version)
}

function meaningOf({ tx }: CommandContext, { interpretation_id }: StoredProposal) {
  return interpretation_id === undefined ? undefined : findInterpretation(tx, interpretation_id)
}

function wordsOf(
  { tx }: CommandContext,
  proposal: StoredProposal,
  meaning: ReturnType<typeof meaningOf>,
): AbilityWords {
  const project = findProposalSession(tx, proposal)?.project_id
  const imported = findImportOfProposal(tx, proposal.proposal_id)
  const scoped = meaning !== undefined && meaning.project_scope !== 'global'
  return {
    title: proposal.title,
    skill_slug: proposal.proposed_skill_slug,
    trigger_phrases: proposal.trigger_phrases,
    negative_triggers: proposal.negative_triggers,
    project_scopes: scoped && project !== undefined ? [project] : [],
    preferred_control_surfaces:
      meaning?.preferred_control_surfaces ??
      imported?.report?.frontmatter?.preferred_control_surfaces ??
      [],
    support_pack_refs: proposal.support_pack_refs,
    learn_session_id: proposal.learn_session_id,
    ...(imported?.requires_adapter === true ? { requires_adapter: true as const } : {}),
  }
}
