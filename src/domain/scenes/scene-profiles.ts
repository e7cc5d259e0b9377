import type { SceneProfile } from '@apprentice/contracts/scenes/run.ts'
import { Failure } from '../../failure/failure.ts'
import { deleteEntry } from '../../store/connectors/vault.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  deleteProfile,
  findProfile,
  findProfileByName,
  insertProfile,
  listProfiles,
  type ProfileName,
  type SceneProfileRow,
  updateProfile,
} from '../../store/scenes/scene-profiles.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { readSecretText, storeSecretText, type VaultCipher } from '../connectors/registry/vault.ts'

/** What a browser stored for a person who signed in. */
export interface NewProfile {
  readonly domain: string
  readonly name: string
  /** Cookies and local storage as JSON. */
  readonly storage_state: string
  readonly cookies: number
}

const formatProfileRef = (profileId: string): string => `scene-profile:${profileId}`

/** Stores a sign-in, encrypted. One with the same name is replaced. */
export function storeProfile(ctx: CommandContext, cipher: VaultCipher, given: NewProfile): SceneProfile {
  const { name, storage_state, cookies } = given
  const owner = ctx.actor.user_id
  const domain = given.domain.toLowerCase()
  const known = findProfileByName(ctx.tx, { owner, domain, name })
  const row: SceneProfileRow = {
    profile_id: known?.profile_id ?? ctx.newId(),
    owner_user_id: owner,
    domain,
    name,
    cookies,
    created_at: known?.created_at ?? ctx.now,
    updated_at: ctx.now,
    last_used_at: known?.last_used_at,
  }
  if (known === undefined) insertProfile(ctx.tx, row)
  else updateProfile(ctx.tx, row)
  storeSecretText(ctx, cipher, formatProfileRef(row.profile_id), storage_state)
  recordEvent(ctx, `scene-profile/${row.profile_id}`, 'scene.profile.changed', { domain, name })
  return toProfile(row)
}

export const listOwnProfiles = (reader: Reader, owner: string): SceneProfile[] =>
  listProfiles(reader, owner).map(toProfile)

export function removeProfile(ctx: CommandContext, profileId: string): { profile_id: string; deleted: true } {
  const row = findProfile(ctx.tx, profileId)
  if (row === undefined || row.owner_user_id !== ctx.actor.user_id) {
    throw new Failure('SCENE_PROFILE_NOT_FOUND', `There is no sign-in ${profileId}.`)
  }
  deleteProfile(ctx.tx, profileId)
  deleteEntry(ctx.tx, formatProfileRef(profileId))
  const { domain, name } = row
  recordEvent(ctx, `scene-profile/${profileId}`, 'scene.profile.changed', { domain, name, deleted: true })
  return { profile_id: profileId, deleted: true }
}

/** The cookies and the local storage of a sign-in. Undefined if it was removed or its key is missing. */
export function readProfileState(reader: Reader, cipher: VaultCipher, name: ProfileName): string | undefined {
  const row = findProfileByName(reader, name)
  return row === undefined ? undefined : readSecretText(reader, cipher, formatProfileRef(row.profile_id))
}

export function noteProfileUse(ctx: CommandContext, name: ProfileName): void {
  const row = findProfileByName(ctx.tx, name)
  if (row !== undefined) updateProfile(ctx.tx, { ...row, last_used_at: ctx.now })
}

function toProfile({ owner_user_id: _owner, ...profile }: SceneProfileRow): SceneProfile {
  return profile
}
