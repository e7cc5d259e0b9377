import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import {
  type AbilityVersionRow,
  type AbilityDescription,
  insertAbilityVersion,
  listAbilityVersions,
} from '../../store/abilities/ability-versions.ts'
import { listDraftFiles } from '../../store/proposals/draft-files.ts'
import { insertInstalledFile, listInstalledFiles } from '../../store/install/installed-files.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findImportByProposal } from '../../store/skill-import/skill-imports.ts'
import { findLatestRun } from '../../store/validation/validation-runs.ts'
import { findCurrentVersion } from '../abilities/current-recipe.ts'
import type { CommandContext } from '../command/context.ts'
import { findLintReport } from '../proposals/lint-proposal.ts'
import { findProposalSession } from '../proposals/moves.ts'
import { buildBundle } from './skill-files.ts'

interface VersionTarget {
  readonly ability_id: string
  readonly lane: OpenLane
}

/** Returns the version to install: a new one, or the current one when only its lane changes. */
export function writeVersion(ctx: CommandContext, proposal: StoredProposal, target: VersionTarget): number {
  const { ability_id, lane } = target
  const { proposal_id, draft_hash = '' } = proposal
  const current = findCurrentVersion(ctx.tx, ability_id)
  if (current?.proposal_id === proposal_id && current.draft_hash === draft_hash) {
    return current.version
  }
  const meaning = findMeaning(ctx, proposal)
  const run = findLatestRun(ctx.tx, proposal_id)
  const { files, ...bundle } = buildBundle({
    proposal,
    ability_id,
    drafts: listDraftFiles(ctx.tx, proposal_id),
    summary: meaning?.goal_summary ?? proposal.title,
    run_id: run?.validation_run_id,
  })
  const version = nextVersionNumber(ctx, ability_id)
  insertAbilityVersion(ctx.tx, {
    ...bundle,
    ability_id,
    version,
    proposal_id,
    draft_hash,
    install_lane: lane,
    described: {
      ...describeAbility(ctx, proposal, meaning),
      ...(run?.overall_result === 'passed' ? { last_validated_at: run.completed_at } : {}),
    },
    materialized: false,
    projected: false,
    // The ability stays unusable until the saga clears this.
    partial_state: 'bridge_pending',
    installed_at: ctx.now,
  })
  for (const file of files) insertInstalledFile(ctx.tx, { ...file, ability_id, version })
  return version
}

/** Copies an earlier version, files included, to a new version. */
export function copyVersion(ctx: CommandContext, earlier: AbilityVersionRow, install_lane: OpenLane): number {
  const { ability_id } = earlier
  const version = nextVersionNumber(ctx, ability_id)
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

const nextVersionNumber = ({ tx }: CommandContext, abilityId: string): number =>
  (listAbilityVersions(tx, abilityId).at(-1)?.version ?? 0) + 1

function findMeaning({ tx }: CommandContext, { interpretation_id }: StoredProposal) {
  return interpretation_id === undefined ? undefined : findInterpretation(tx, interpretation_id)
}

function describeAbility(
  { tx }: CommandContext,
  proposal: StoredProposal,
  meaning: ReturnType<typeof findMeaning>,
): AbilityDescription {
  const project = findProposalSession(tx, proposal)?.project_id
  const imported = findImportByProposal(tx, proposal.proposal_id)
  const scoped = meaning !== undefined && meaning.project_scope !== 'global'
  return {
    title: proposal.title,
    skill_slug: proposal.proposed_skill_slug,
    trigger_phrases: proposal.trigger_phrases,
    negative_triggers: proposal.negative_triggers,
    project_scopes: scoped && project !== undefined ? [project] : [],
    preferred_control_surfaces:
      meaning?.preferred_control_surfaces ?? imported?.report?.frontmatter?.preferred_control_surfaces ?? [],
    support_pack_refs: proposal.support_pack_refs,
    learn_session_id: proposal.learn_session_id,
    ...(imported?.requires_adapter === true ? { requires_adapter: true as const } : {}),
    ...(findLintReport(tx, proposal.proposal_id)?.passed === false ? { lint_failed: true as const } : {}),
  }
}
