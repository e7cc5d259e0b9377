import type { App } from './app.ts'
import type { Device } from './device.ts'
import type { StateRecord } from '../documents/evaluation.ts'

export interface LinkTarget {
  readonly app: App
  readonly screen: string
  readonly args: StateRecord
}

/** Finds the first screen with a link pattern that matches the URI. `{id}` becomes an argument. */
export function findLink(device: Device, uri: string, packageName?: string): LinkTarget | undefined {
  for (const app of device.apps.values()) {
    if (packageName !== undefined && app.document.package !== packageName) continue
    for (const [screen, { links }] of Object.entries(app.document.screens)) {
      for (const link of links) {
        const args = matchLink(link, uri)
        if (args !== undefined) return { app, screen, args }
      }
    }
  }
  return undefined
}

function matchLink(link: string, uri: string): StateRecord | undefined {
  const source = link
    .split(/(\{\w+\})/)
    .map((part) =>
      /^\{\w+\}$/.test(part)
        ? `(?<${part.slice(1, -1)}>[^/?#]*)`
        : part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`),
    )
    .join('')
  const match = new RegExp(`^${source}$`).exec(uri)
  if (match === null) return undefined
  const pairs = Object.entries(match.groups ?? {})
  return Object.fromEntries(pairs.map(([name, value]) => [name, decodePart(value)]))
}

function decodePart(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
