import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { Serial } from '../devices/device.ts'
import { ControlSurface } from '../learn/observation.ts'
import { route } from '../base/route.ts'

export const CapabilityId = z.string().regex(/^[A-Za-z0-9._:-]{1,160}$/)

/** How an ability is invoked, verified and probed. */
export const CapabilityManifest = z
  .object({
    capability_id: CapabilityId,
    family: z.string().max(80),
    title: z.string().max(200),
    origin_skill: z.string().max(120),
    kind: z.enum(['native_openclaw_tool', 'bridge_tool', 'wrapper_script', 'workflow_pattern', 'promoted_skill']),
    aliases: z.array(z.string().max(80)),
    action_verbs: z.array(z.string().max(80)),
    surface_order: z.array(ControlSurface).min(1),
    runtime_binding: z.object({
      binding_kind: z.enum(['native_tool', 'bridge_tool', 'script', 'workflow_pattern']),
      target: z.string().max(240),
    }),
    required_runtime_caps: z.array(z.string().max(120)),
    permissions: z.array(z.string().max(120)),
    requires_supervision: z.boolean(),
    dry_run_supported: z.boolean(),
    routing_eligible: z.boolean(),
    verification: z
      .array(
        z.object({
          kind: z.enum([
            'tool_result',
            'file_hash',
            'window_state',
            'snapshot_label',
            'api_state',
            'manual_confirmation',
          ]),
          target: z.string().max(240),
          expected: z.string().max(240).optional(),
        }),
      )
      .min(1),
    health_probe: z.object({
      kind: z.enum(['command', 'tool', 'browser', 'noop']),
      target: z.string().max(240),
      timeout_ms: z.int().min(1),
    }),
    learning_policy: z.object({
      teach_mode_allowed: z.boolean(),
      promotion_source_template_id: z.string().max(160).optional(),
      auto_capture_trace: z.boolean(),
      proposal_required_for_mutation: z.boolean(),
    }),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'CapabilityManifest' })
export type CapabilityManifest = z.infer<typeof CapabilityManifest>

/** Metadata of a capability for the daemon only. */
export const CapabilityMetadata = z.object({
  capability_id: CapabilityId,
  summary: z.string().max(1000),
  source_refs: z.array(z.string().max(240)),
  control_surface_notes: z.array(z.object({ surface: z.string().max(80), notes: z.string().max(500) })),
  dependency_refs: z.array(z.string().max(240)),
  page_knowledge_refs: z.array(z.string().max(240)),
  ui_anchor_refs: z.array(z.string().max(240)),
  bucket_refs: z.array(z.string().max(240)),
  known_failure_modes: z.array(z.object({ trigger: z.string().max(240), recovery_ref: z.string().max(240) })),
  schema_version: SchemaVersion,
})
export type CapabilityMetadata = z.infer<typeof CapabilityMetadata>

export const HealthStatus = z.enum(['healthy', 'degraded', 'quarantined', 'disabled', 'unknown'])
export type HealthStatus = z.infer<typeof HealthStatus>

export const BridgeState = z.enum(['current', 'stale', 'partial_deployment'])

export const BridgeEntry = z
  .object({
    capability_id: CapabilityId,
    family: z.string().max(80),
    title: z.string().max(200),
    aliases: z.array(z.string().max(80)).max(20),
    action_verbs: z.array(z.string().max(80)).max(20),
    route_tier: z.int().min(1).max(5),
    requires_supervision: z.boolean(),
    dry_run_supported: z.boolean(),
    routing_eligible: z.boolean(),
    health_status: HealthStatus,
    health_reason_code: z.string().max(120).optional(),
    origin_owner: z.enum(['doc3', 'doc4_bridge', 'openclaw_native', 'provisional_scanner']),
    built_in_openclaw: z.boolean(),
    metadata_ref: z.string().max(240),
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'BridgeEntry' })
export type BridgeEntry = z.infer<typeof BridgeEntry>

export const CapabilityHealth = z
  .object({
    capability_id: CapabilityId,
    installed_state: z.enum(['present', 'missing']),
    health_status: HealthStatus,
    session_availability: z.enum(['supported', 'degraded', 'unsupported', 'unknown']),
    reason_codes: z.array(z.string().max(80)),
    last_verified_at: DateTime.optional(),
    cooldown_until: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'CapabilityHealth' })
export type CapabilityHealth = z.infer<typeof CapabilityHealth>

export const CapabilityStats = z.object({
  capability_id: CapabilityId,
  uses: z.int().min(0),
  successes: z.int().min(0),
  failures: z.int().min(0),
  fallback_uses: z.int().min(0),
  last_used_at: DateTime.optional(),
})
export type CapabilityStats = z.infer<typeof CapabilityStats>

const TAG = 'capabilities'

export const getBridge = route({
  method: 'GET',
  url: '/api/capabilities/bridge',
  tag: TAG,
  summary: 'Get the capabilities that agents may be routed to, from the last successful build',
  privilege: 'read',
  reply: z.object({
    entries: z.array(BridgeEntry),
    bridge_state: BridgeState,
    built_at: DateTime,
    schema_version: SchemaVersion,
  }),
})

export const getCapabilityHealth = route({
  method: 'GET',
  url: '/api/capabilities/health',
  tag: TAG,
  summary: 'Get the health of all capabilities',
  privilege: 'read',
  reply: z.object({
    capabilities: z.array(CapabilityHealth),
    snapshot_as_of: DateTime,
    schema_version: SchemaVersion,
  }),
})

export const getCapabilityStats = route({
  method: 'GET',
  url: '/api/capabilities/stats',
  tag: TAG,
  summary: 'Get use counts and results of all capabilities',
  privilege: 'read',
  reply: z.object({
    stats: z.array(CapabilityStats),
    snapshot_as_of: DateTime,
    schema_version: SchemaVersion,
  }),
})

export const reprobeCapability = route({
  method: 'POST',
  url: '/api/capabilities/reprobe',
  tag: TAG,
  summary: 'Probe whether a capability works, without changing anything on the device',
  privilege: 'admin',
  body: requestBody({ capability_id: CapabilityId, serial: Serial.optional() }),
  reply: z.object({
    health: CapabilityHealth,
    probe: z.object({
      ok: z.boolean(),
      elapsed_ms: z.int().min(0),
      reason_code: z.string().max(120).optional(),
    }),
    canary_successes: z.int().min(0),
    receipt_id: Uuid,
    schema_version: SchemaVersion,
  }),
  fails: ['CAPABILITY_NOT_FOUND', 'PROBE_UNAVAILABLE'],
})

export const clearQuarantine = route({
  method: 'POST',
  url: '/api/capabilities/quarantine/clear',
  tag: TAG,
  summary: 'Remove a capability from quarantine',
  privilege: 'admin',
  body: requestBody({ capability_id: CapabilityId, reason: text(1000) }),
  reply: z.object({
    health: CapabilityHealth,
    receipt_id: Uuid,
    schema_version: SchemaVersion,
  }),
  fails: ['CAPABILITY_NOT_FOUND', 'CAPABILITY_NOT_QUARANTINED'],
})

export const explainCapability = route({
  method: 'POST',
  url: '/api/capabilities/explain',
  tag: TAG,
  summary: 'Explain whether a capability is installed, healthy and usable now',
  privilege: 'read',
  body: requestBody({
    capability_id: CapabilityId.optional(),
    query: text(500).optional(),
    project_id: text(120).optional(),
  }),
  reply: z.object({
    capability_id: CapabilityId.optional(),
    installed: z.boolean(),
    health_status: HealthStatus,
    usable_now: z.boolean(),
    reasons: z.array(z.string().max(240)),
    surface_order: z.array(ControlSurface),
    schema_version: SchemaVersion,
  }),
  fails: ['CAPABILITY_NOT_FOUND'],
})
