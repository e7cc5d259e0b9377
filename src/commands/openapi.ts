import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { openApiDocument } from '@apprentice/contracts/openapi.ts'
import { openApiFile } from '../routes/docs.ts'
import { version } from '../config/version.ts'

export const openApiText = (): string => `${JSON.stringify(openApiDocument(version), null, 2)}\n`

export function addOpenApiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document, or write the one that is checked in')
    .option('--write', 'write openapi/openapi.json')
    .action(({ write }: { write?: boolean }) => {
      if (write === true) writeFileSync(openApiFile, openApiText())
      else process.stdout.write(openApiText())
    })
}
