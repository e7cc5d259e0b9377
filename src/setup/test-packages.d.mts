export function chooseTestFiles(testFiles: readonly string[], vitestArguments: readonly string[]): readonly string[]
