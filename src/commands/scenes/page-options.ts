import type { Command } from 'commander'
import type { PageContext } from '@apprentice/contracts/scenes/dispatch.ts'

/** The page that the user looks at, which may decide between scenes. */
export interface PageOptions {
  readonly pageUrl?: string
  readonly pageTitle?: string
}

export const addPageOptions = (command: Command): Command =>
  command.option('--page-url <url>', 'the page that is open').option('--page-title <title>', 'the title of that page')

export const readPageOptions = ({ pageUrl: url, pageTitle: title }: PageOptions): { page?: PageContext } =>
  url === undefined && title === undefined ? {} : { page: { url, title } }
