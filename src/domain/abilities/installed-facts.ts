import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  findAbilityVersion,
  type PartialState,
} from '../../store/abilities/ability-versions.ts'
import { findAcceptedRisk, hasContentProof } from '../../store/abilities/content-proofs.ts'
import { findBridgeEntry } from '../../store/capabilities/bridge.ts'
import { findHealth } from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { findSceneAbility } from '../../store/scenes/scene-abilities.ts'
import { effectiveLane } from './lanes.ts'

/** The installation state of an ability, from which its availability is computed. */
export interface InstalledFacts {
  /** The canonical files are present with the recorded hashes. */
  readonly materialized: boolean
  /** The files in the workspace are present with the recorded hashes. */
  readonly projected: boolean
  /** The bridge has an entry for the ability. */
  readonly bridged: boolean
  readonly health_status: 'healthy' | 'degraded' | 'quarantined' | 'disabled' | 'unknown'
  /** The unfinished part of an installation. `install_failed` and `bridge_pending` make the ability unusable. */
  readonly partial_state?: PartialState | undefined
  /** The skill was written for another runtime. */
  readonly requires_adapter?: true | undefined
  /** The id of a required connector that is not healthy. */
  readonly unhealthy_connector?: string | undefined
  /** The document has errors that the linter reports. Only imported skills can be installed with them. */
  readonly lint_failed?: true | undefined
  /** A device carried out this content, or a person accepted that none did. */
  readonly rehearsed: boolean
  /** Why the abilities that this one calls make it unusable. */
  readonly call_problem?: string | undefined
  /** Why the package of a scene cannot be used. */
  readonly scene_problem?: string | undefined
}

export type ReadInstalledFacts = (reader: Reader, abilityId: string) => InstalledFacts

/** Native abilities come with the agent's runtime and have no files here. */
export const NATIVE_FACTS: InstalledFacts = {
  materialized: true,
  projected: true,
  bridged: true,
  health_status: 'unknown',
  rehearsed: true,
}

/** A scene is native too. Its package may be refused, and its runs decide its health. */
export const readNativeFacts: ReadInstalledFacts = (reader, abilityId) => {
  const scene = findSceneAbility(reader, abilityId)
  if (scene === undefined) return NATIVE_FACTS
  const { health_status } = findHealth(reader, abilityId) ?? NATIVE_FACTS
  return { ...NATIVE_FACTS, health_status, scene_problem: scene.problem }
}

const NOT_INSTALLED: InstalledFacts = {
  materialized: false,
  projected: false,
  bridged: false,
  health_status: 'unknown',
  rehearsed: false,
}

export const readInstalledFacts: ReadInstalledFacts = (reader, abilityId) => {
  const ability = findAbility(reader, abilityId)
  const version = ability && findAbilityVersion(reader, abilityId, ability.current_version)
  if (ability === undefined || version === undefined) return NOT_INSTALLED
  const { capability_id } = version.manifest
  const entry = findBridgeEntry(reader, capability_id)
  const isOff = entry?.health_status === 'quarantined' || entry?.health_status === 'disabled'
  return {
    materialized: version.materialized,
    projected: version.projected,
    // A quarantined or disabled entry is not eligible for routing, but it is on the bridge.
    bridged: entry !== undefined && (entry.routing_eligible || isOff),
    health_status: findHealth(reader, capability_id)?.health_status ?? 'unknown',
    partial_state: version.partial_state,
    requires_adapter: version.described.requires_adapter,
    lint_failed: version.described.lint_failed,
    rehearsed: isRehearsed(reader, version, effectiveLane(ability)),
  }
}

/** A document needs no device. An accepted risk counts in the lane in which it was accepted. */
const isRehearsed = (
  reader: Reader,
  { ability_id, draft_hash, recipe }: AbilityVersionRow,
  install_lane: OpenLane,
): boolean =>
  recipe === undefined ||
  hasContentProof(reader, draft_hash) ||
  findAcceptedRisk(reader, { ability_id, draft_hash, install_lane }) !== undefined
