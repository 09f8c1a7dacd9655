/** What is told of today may be of yesterday when the day ends meanwhile: it is done once more then. */
export async function withinOneDay(deed: () => Promise<void>): Promise<void> {
  const began = today();
  try {
    await deed();
  } catch (error) {
    if (today() === began) throw error;
    await deed();
  }
}

/** Here and in Greenwich. */
function today(): string {
  const now = new Date();
  return `${now.toDateString()} ${now.toISOString().slice(0, 10)}`;
}
