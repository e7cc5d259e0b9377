import { z } from 'zod'
import { AbilityId, DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { ControlSurface } from '../learn/observation.ts'
import { InstallLane } from '../learn/session.ts'

/** The install lane of an ability. Unlike a proposal, an ability is never `pending`. */
export const AbilityLane = InstallLane.exclude(['pending'])
export type AbilityLane = z.infer<typeof AbilityLane>

/** The lanes in which an ability can be found and used. */
export const OpenLane = AbilityLane.exclude(['quarantined'])
export type OpenLane = z.infer<typeof OpenLane>

export const AbilitySource = z.enum(['learned', 'imported', 'native', 'promoted'])
export type AbilitySource = z.infer<typeof AbilitySource>

/** Runnable: this daemon carries it out. Guidance: a document that an agent reads and follows. */
export const AbilityKind = z.enum(['runnable', 'guidance'])
export type AbilityKind = z.infer<typeof AbilityKind>

/** Who sees an ability while it is in the private lane. */
export const AbilityVisibility = z.enum(['private', 'workspace'])
export type AbilityVisibility = z.infer<typeof AbilityVisibility>

export const CheckpointHealth = z.enum(['strong', 'moderate', 'weak', 'no_data', 'quarantined'])
export type CheckpointHealth = z.infer<typeof CheckpointHealth>

export const AbilityAvailabilityEntry = z
  .object({
    ability_id: AbilityId,
    title: z.string().max(200),
    family: z.string().max(80),
    source: AbilitySource,
    kind: AbilityKind,
    skill_slug: z.string().max(120).optional(),
    primary_capability_id: z.string().max(160).optional(),
    install_lane: AbilityLane,
    enabled: z.boolean(),
    usable_now: z.boolean(),
    reason_unusable: z.string().max(240).optional(),
    proven: z.literal(false).optional().describe('Nothing on the screen shows the outcome: runs end indeterminate'),
    reason_unproven: z.string().max(240).optional(),
    trigger_phrases: z.array(z.string().max(120)),
    negative_triggers: z.array(z.string().max(120)),
    aliases: z.array(z.string().max(120)),
    project_scopes: z.array(z.string().max(160)),
    preferred_control_surfaces: z.array(ControlSurface),
    support_pack_refs: z.array(z.string().max(240)),
    checkpoint_health: CheckpointHealth.optional(),
    last_validated_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AbilityAvailabilityEntry' })
export type AbilityAvailabilityEntry = z.infer<typeof AbilityAvailabilityEntry>

export const SkillCatalogEntry = z
  .object({
    ability_id: AbilityId,
    title: z.string().max(200),
    family: z.string().max(80),
    source: AbilitySource,
    kind: AbilityKind,
    install_lane: AbilityLane,
    enabled: z.boolean(),
    usable_now: z.boolean(),
    reason_unusable: z.string().max(240).optional(),
    proven: AbilityAvailabilityEntry.shape.proven,
    reason_unproven: AbilityAvailabilityEntry.shape.reason_unproven,
    tags: z.array(z.string().max(80)),
    category_ids: z.array(Uuid),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SkillCatalogEntry' })
export type SkillCatalogEntry = z.infer<typeof SkillCatalogEntry>
