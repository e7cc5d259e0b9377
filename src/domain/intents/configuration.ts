import type {
  ConfigurationDocument,
  IntentRecord,
  IntentTarget,
  UserPreferences,
} from '@apprentice/contracts/admin/intents.ts'
import { Failure } from '../../failure/failure.ts'
import {
  type ConfigDocument,
  findConfigDocument,
  findIntent,
  listConfigDocuments,
  type StoredIntent,
} from '../../store/config/config-documents.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityIdByCapability } from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { isVisible } from '../abilities/visibility.ts'
import { CONNECTOR_POLICY, PACKS_FOLDER, PREFERENCES_FOLDER } from './document-names.ts'

/** The documents that a user may read. */
export function listVisibleConfiguration(reader: Reader, user: string): ConfigurationDocument[] {
  return listConfigDocuments(reader).flatMap((document) => {
    const { target, capability_id, owner } = parseName(document)
    const isOwn = owner === undefined || owner === user
    const abilityId = capability_id === undefined ? undefined : findAbilityIdByCapability(reader, capability_id)
    const ability = abilityId === undefined ? undefined : findAbility(reader, abilityId)
    const isKnown = capability_id === undefined || (ability !== undefined && isVisible(ability, user))
    const { body, updated_at } = document
    return isOwn && isKnown ? [{ target, capability_id, body: { ...body }, updated_at }] : []
  })
}

interface DocumentSubject {
  readonly target: IntentTarget
  readonly capability_id?: string | undefined
  readonly owner?: string | undefined
}

function parseName({ name }: ConfigDocument): DocumentSubject {
  if (name === CONNECTOR_POLICY) return { target: 'connector_policy' }
  if (name.startsWith(PREFERENCES_FOLDER)) {
    return { target: 'user_preference', owner: name.slice(PREFERENCES_FOLDER.length) }
  }
  if (name.startsWith(PACKS_FOLDER)) {
    return { target: 'support_pack_binding', capability_id: name.slice(PACKS_FOLDER.length) }
  }
  return { target: 'skill_config', capability_id: name }
}

export function getOwnIntent(reader: Reader, intentId: string, user: string): IntentRecord {
  const found = findIntent(reader, intentId)
  if (found === undefined || found.owner_user_id !== user) {
    throw new Failure('NOT_FOUND', `You have no intent ${intentId}.`)
  }
  return toIntentRecord(found)
}

export const toIntentRecord = ({ owner_user_id: _, ...intent }: StoredIntent): IntentRecord => intent

export const readPreferences = (reader: Reader, user: string): UserPreferences =>
  findConfigDocument(reader, `${PREFERENCES_FOLDER}${user}`)?.body ?? {}

/** The configured default values of the inputs of an ability. */
export const readInputDefaults = (reader: Reader, abilityId: string): Readonly<Record<string, unknown>> =>
  findConfigDocument(reader, findAbility(reader, abilityId)?.primary_capability_id ?? abilityId)?.body ?? {}
