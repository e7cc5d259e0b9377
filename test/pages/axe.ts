import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** A script for pages that are checked. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Finding {
  readonly id: string
  readonly nodes: readonly string[]
}

/** The rules of accessibility that the page violates, with the elements. Names of rules restrict the check to them. */
export const findViolations = (page: Page, rules: readonly string[] = []): Promise<Finding[]> =>
  page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run(only.length === 0 ? {} : { runOnly: only })
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 160)) }))
  }, rules)
