import { listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { listOwnRuns } from '@apprentice/contracts/abilities/run-figures.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import { call } from '../api/client.ts'
import { formatAgo } from '../parts/format.ts'
import type { IconName } from '../parts/icon.tsx'
import { nameDevice } from '../phone/name-device.ts'
import { t } from '../text/text.ts'

export interface Place {
  readonly kind: 'start' | 'page' | 'ability' | 'run' | 'phone'
  readonly href: string
  readonly title: string
  readonly icon: IconName
}

const RUNS = { page_size: 20 }
const LISTED = 12

/** What can be opened without asking the daemon. */
export function listPages(): Place[] {
  const { nav, learn } = t
  const starts = (['demonstrating_skill', 'autonomous_agent_practice', 'coaching_agent'] as const).map((mode) => ({
    kind: 'start' as const,
    href: `/learn/new?mode=${mode}`,
    title: learn.modes[mode],
    icon: 'learn' as const,
  }))
  const pages: readonly (readonly [href: string, title: string, icon: IconName])[] = [
    ['/', nav.overview, 'overview'],
    ['/skills', nav.skills, 'book'],
    ['/learn/active', learn.tabs.active, 'activity'],
    ['/learn/pending', learn.tabs.pending, 'learn'],
    ['/learn/history', learn.tabs.history, 'clock'],
    ['/import', learn.modes.import_skill, 'download'],
    ['/connectors', nav.connectors, 'connector'],
    ['/devices', nav.devices, 'phone'],
    ['/scenes', nav.scenes, 'scene'],
    ['/documents', nav.documents, 'document'],
    ['/receipts', nav.receipts, 'receipt'],
    ['/settings', nav.settings, 'settings'],
  ]
  return [...starts, ...pages.map(([href, title, icon]) => ({ kind: 'page' as const, href, title, icon }))]
}

/** The abilities, phones and last runs of the person. */
export async function readPlaces(): Promise<Place[]> {
  const [{ abilities }, { devices }, { runs }] = await Promise.all([
    call(listAvailability),
    call(listDevices),
    call(listOwnRuns, { query: RUNS }),
  ])
  const titles = new Map(abilities.map(({ ability_id, title }) => [ability_id, title]))
  return [
    ...abilities.map(({ ability_id, title }) => ({
      kind: 'ability' as const,
      href: `/skills/${encodeURIComponent(ability_id)}`,
      title,
      icon: 'play' as const,
    })),
    ...devices.map((device) => ({
      kind: 'phone' as const,
      href: `/devices/${encodeURIComponent(device.serial)}`,
      title: nameDevice(device),
      icon: 'phone' as const,
    })),
    ...runs.map(({ run_id, ability_id, created_at }) => ({
      kind: 'run' as const,
      href: `/runs/${run_id}`,
      title: `${titles.get(ability_id) ?? ability_id}, ${formatAgo(created_at)}`,
      icon: 'clock' as const,
    })),
  ]
}

/** The places whose title contains all words. Those whose title begins with the query come first. */
export function findPlaces(places: readonly Place[], query: string): Place[] {
  const text = query.trim().toLowerCase()
  const words = text.split(/\s+/)
  const isFound = ({ title }: Place): boolean => words.every((word) => title.toLowerCase().includes(word))
  const begins = ({ title }: Place): boolean => title.toLowerCase().startsWith(text)
  return places
    .filter(isFound)
    .toSorted((a, b) => Number(begins(b)) - Number(begins(a)))
    .slice(0, LISTED)
}
