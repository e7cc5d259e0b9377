import type { CommandContext } from '../../src/domain/command/context.ts'
import { rebuildBridgeForNewVersion } from '../../src/domain/capabilities/new-version.ts'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { recordProof } from '../../src/domain/abilities/proofs.ts'
import { activateVersion } from '../../src/domain/install/activate-version.ts'
import { completeStep } from '../../src/domain/install/advance-saga.ts'
import { openSaga, saveSaga } from '../../src/domain/install/saga-record.ts'
import { startUninstall } from '../../src/domain/install/uninstall.ts'
import { findAbility } from '../../src/store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  insertAbilityVersion,
  listAbilityVersions,
} from '../../src/store/abilities/ability-versions.ts'

const LANE = 'experimental_private' as const

/** Adds the rows of an installation: of version 1, or of the next version if the skill is installed. */
export function addInstallation(ctx: CommandContext, slug = 'reply-fast'): void {
  const ability_id = `learned.${slug}`
  const last = listAbilityVersions(ctx.tx, ability_id).at(-1)?.version ?? 0
  const version = versionRow(ctx, { ability_id, slug, version: last + 1 })
  const owner_user_id = 'local'
  const saga = openSaga(ctx, {
    kind: 'install',
    owner_user_id,
    ability_id,
    skill_slug: slug,
    version: version.version,
    install_lane: LANE,
  })
  insertAbilityVersion(ctx.tx, version)
  recordProof(ctx, { draft_hash: version.draft_hash, kind: 'rehearsal', source_ref: 'validation_run:test' })
  activateVersion(ctx, version, { owner_user_id, lane: LANE })
  rebuildBridgeForNewVersion(ctx, version.manifest, {})
  saveSaga(ctx, { ...saga, status: 'completed', step: 'done' })
  recordCapabilityOutcome(ctx, { capability_id: ability_id, success: version.version % 2 === 0 })
}

export function removeInstallation(ctx: CommandContext, slug = 'reply-fast'): void {
  const ability_id = `learned.${slug}`
  if (findAbility(ctx.tx, ability_id) === undefined) return
  const { saga_id } = startUninstall(ctx, ability_id, false)
  completeStep(ctx, saga_id, { written: [], overwritten: [] })
}

function versionRow(
  ctx: CommandContext,
  { ability_id, slug, version }: { ability_id: string; slug: string; version: number },
): AbilityVersionRow {
  const title = `Reply «fast» ${version}`
  return {
    ability_id,
    version,
    draft_hash: String(version),
    install_lane: LANE,
    described: {
      title,
      skill_slug: slug,
      trigger_phrases: [title],
      negative_triggers: [],
      project_scopes: [],
      preferred_control_surfaces: [],
      support_pack_refs: [],
    },
    manifest: {
      capability_id: ability_id,
      family: 'messages',
      title,
      origin_skill: slug,
      kind: 'promoted_skill',
      aliases: [],
      action_verbs: [],
      surface_order: ['raw_ui'],
      runtime_binding: { binding_kind: 'workflow_pattern', target: `skills/${slug}/SKILL.md` },
      required_runtime_caps: [],
      permissions: [],
      requires_supervision: false,
      dry_run_supported: false,
      routing_eligible: true,
      verification: [{ kind: 'manual_confirmation', target: 'It is sent' }],
      health_probe: { kind: 'noop', target: ability_id, timeout_ms: 3000 },
      learning_policy: {
        teach_mode_allowed: true,
        auto_capture_trace: true,
        proposal_required_for_mutation: true,
      },
      schema_version: 1,
    },
    metadata: {
      capability_id: ability_id,
      summary: title,
      source_refs: [],
      control_surface_notes: [],
      dependency_refs: [],
      page_knowledge_refs: [],
      ui_anchor_refs: [],
      bucket_refs: [],
      known_failure_modes: [],
      schema_version: 1,
    },
    materialized: true,
    projected: true,
    installed_at: ctx.now,
  }
}
