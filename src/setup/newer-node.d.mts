export function findNewerNode(cacheFolder?: string): string | undefined
export function installNewerNode(vitestArguments: readonly string[]): Promise<void>
